"""How autopar gets between a module and its source."""
