"""A kernel and a support vector machine: chosen, fitted and saved."""
