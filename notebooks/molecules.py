# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Molecules
#
# From SMILES to a model that explains itself. The data are typed in below, so this runs anywhere;
# with a table of your own, `datasets.read_csv("mols.csv", target="kind")` replaces the first cell.

# %%
from grafik import (
    FiltrationClassifier,
    FiltrationKernel,
    GraphIndex,
    as_graphs,
    explain_prediction,
    plots,
    vertex_importance,
)

SMILES = {
    "alcohol": "CO CCO CCCO CC(C)O CCCCO CCC(C)O CC(C)CO OCCO OCC(O)CO OC1CCCCC1 OCc1ccccc1",
    "acid": "C(=O)O CC(=O)O CCC(=O)O CCCC(=O)O CC(C)C(=O)O OC(=O)CC(=O)O OC(=O)c1ccccc1",
    "amine": "CN CCN CCCN CC(C)N CNC CN(C)C NCCN Nc1ccccc1 NCc1ccccc1 C1CCNCC1",
}
smiles = [one for several in SMILES.values() for one in several.split()]
kinds = [kind for kind, several in SMILES.items() for _ in several.split()]
molecules = as_graphs(smiles, ids=smiles)
molecules

# %% [markdown]
# A model chooses its kernel by cross-validation, and says what it chose.

# %%
model = FiltrationClassifier().fit(molecules, kinds)
print(model)

# %%
new = ["CCCCCO", "CCCCCC(=O)O", "CCCCCN", "OC(=O)CN"]
dict(zip(new, model.predict(new).tolist(), strict=True))

# %% [markdown]
# The last one, glycine, is an acid and an amine. Why does the model say what it says?

# %%
why = explain_prediction(model, "OC(=O)CN", toward="acid", against="amine")
why

# %%
ax = plots.molecule("OC(=O)CN", importance=vertex_importance(why))

# %% [markdown]
# All molecules on a map, similar ones near each other:

# %%
similarities = FiltrationKernel(normalize=True).fit_transform(molecules)
ax = plots.data_map(similarities, kinds)

# %% [markdown]
# And the most similar ones to aspirin:

# %%
index = GraphIndex(FiltrationKernel(normalize=True)).add(molecules)
found = index.search("CC(=O)Oc1ccccc1C(=O)O", top=3)
list(zip(found.ids[0], found.similarities[0].round(2).tolist(), strict=True))
