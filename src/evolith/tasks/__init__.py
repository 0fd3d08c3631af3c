"""Task files: reading, field mapping, splitting."""
