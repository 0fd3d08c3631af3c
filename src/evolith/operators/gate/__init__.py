"""Who joins the pool."""
