"""Work that does not fit in memory or in one sitting."""
