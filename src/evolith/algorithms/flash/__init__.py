"""Flash: a line that runs ahead of a champion that is proved, made of changes that are fused."""
