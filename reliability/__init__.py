"""How far the suite can be trusted: what it runs, and which mistakes in the code it would find."""
