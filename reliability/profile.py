"""A plugin of pytest: Hypothesis draws the same examples for every mutant, and does not shrink."""

from hypothesis import Phase, settings

settings.register_profile(
    "mutants",
    deadline=None,
    max_examples=12,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
)
