"""Language models, and the gateway through which every call goes."""
