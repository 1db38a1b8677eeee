"""What a release needs: lower bounds that hold, packages that install, and a look at both."""
