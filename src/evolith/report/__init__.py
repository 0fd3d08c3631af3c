"""What a run gained, lost and cost, as data, text, Markdown, JSON and HTML."""
