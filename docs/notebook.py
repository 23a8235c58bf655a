# %% [markdown]
# # The database in pandas
#
# Everything that a sweep finds is in one SQLite database. This notebook asks it three things: the paper's table, the frontier of what was
# looked at and what was found, and a question of our own. Run it in the folder of the database; `HOTGRAPH_DB` names another one.

# %%
import os
import sqlite3

import matplotlib.pyplot as plt
import pandas as pd

db = sqlite3.connect(f"file:{os.environ.get('HOTGRAPH_DB', 'results/hotgraph.db')}?mode=ro", uri=True)
results = pd.read_sql("SELECT * FROM results WHERE hot_permille = 900", db)
results.groupby("technique").size().rename("results")

# %% [markdown]
# ## The paper's table
#
# What was executed on each game, how much of it was sampled, and the similarity of what the samples show by themselves. `table1` to `table4` are
# views of the database; all columns of all tables are in docs/formats.md and in `hotgraph sql`.

# %%
table = pd.read_sql("SELECT game, batches, instructions, sampled_percent, baseline_percent FROM table1 WHERE batches IS NOT NULL", db)
print(table.round(2).to_string(index=False))

# %% [markdown]
# The same from the results: the best, the mean and the worst configuration of each game.

# %%
grid = results[results.baseline == 0]
ranking = grid.groupby("game").similarity.agg(["max", "mean", "min"]).mul(100).round(1)
print(ranking.to_string())

# %% [markdown]
# ## The frontier
#
# Each configuration as a point: the share of executed instructions that it looked at, and the overlap with the exact graph without busy-waits, as
# means over the games. A point is on the frontier if none that looked at less found more.

# %%
executed = pd.read_sql("SELECT replay_id, instructions FROM replay", db)
looked = results.merge(executed, on="replay_id").dropna(subset=["fair_overlap_active", "instructions"])
looked["share"] = 100 * looked.observed / looked.instructions
points = looked.groupby(["technique", "parameters", "sampling"])[["share", "fair_overlap_active"]].mean().reset_index()
points = points.sort_values(["share", "fair_overlap_active"], ascending=[True, False])
points["frontier"] = points.fair_overlap_active > points.fair_overlap_active.cummax().shift(fill_value=-1)

figure, axes = plt.subplots(figsize=(7, 4))
for technique, rows in points.groupby("technique"):
    axes.plot(rows.share, rows.fair_overlap_active, "o", label=technique, alpha=0.6)
front = points[points.frontier]
axes.step(front.share, front.fair_overlap_active, "k-", where="post", linewidth=1)
axes.set_xlabel("instructions observed, % of those executed")
axes.set_ylabel("overlap, without busy-waits")
axes.legend()
figure.savefig("frontier.svg")
print(front.drop(columns="frontier").round(4).to_string(index=False))

# %% [markdown]
# ## A question of our own
#
# Which parameter matters, and in which direction? The mean overlap for each value of each parameter.

# %%
values = pd.read_sql("SELECT configuration_id, name, value FROM configuration_value", db)
effect = grid.merge(values, on="configuration_id").groupby(["technique", "name", "value"]).fair_overlap_active.mean()
spread = effect.groupby(["technique", "name"]).agg(lambda v: v.max() - v.min()).sort_values(ascending=False)
print(effect.round(4).to_string())
print(spread.round(4).to_string())
