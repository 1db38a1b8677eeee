"""Cycles of up to 6 edges in graphs whose vertices are all alike: counted, not visited."""

import numpy as np

from ..arrays.compiled import njit

FORMULAS = 6  # edges of the longest cycles that are counted here


@njit(cache=True, nogil=True)
def count_alike(graph, batch, room, max_length, counts):
    """Add to `counts[step, length]` how many cycles a new edge closes.

    These are the paths from one end `u` of the edge to the other end `v`: u-a-v, u-a-b-v,
    u-a-x-b-v and u-a-x-y-b-v. Walks of this form are added up, where `a` is next to `u` and `b` to
    `v`, and `x` and `y` are neither `u` nor `v`; those that meet a vertex twice are taken away. If
    the flag is raised, it returns at once.
    """
    first, n = batch.node_ptr[graph], batch.node_ptr[graph + 1] - batch.node_ptr[graph]
    indptr, edges = batch.indptr, batch.edges
    lists = np.empty(indptr[first + n] - indptr[first], np.int32)
    ptr = indptr[first : first + n + 1] - indptr[first]
    degree, triangles = np.zeros(n, np.int64), np.zeros(n, np.int64)
    of_u, of_v = np.zeros(n, np.int64), np.zeros(n, np.int64)  # common neighbours with u, with v
    reached = np.empty(n, np.int64)
    next_to_u, next_to_v = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for at in range(batch.edge_ptr[graph], batch.edge_ptr[graph + 1]):
        edge = batch.by_step[at]
        if room.flag[0] != 0:
            return
        if room.bridge[edge - batch.edge_ptr[graph]]:
            continue
        u, v = edges[edge, 0], edges[edge, 1]
        if degree[u] > 0 and degree[v] > 0:
            here = counts[batch.edge_steps[edge]]
            if degree[u] > degree[v]:
                u, v = v, u
            u_list, v_list = lists[ptr[u] : ptr[u] + degree[u]], lists[ptr[v] : ptr[v] + degree[v]]
            for b in v_list:
                next_to_v[b] = 1
            three, four, five, six = 0, 0, 0, 0
            for a in u_list:
                next_to_u[a] = 1
                three += next_to_v[a]
            if max_length == 4:
                for a in u_list:
                    for i in range(ptr[a], ptr[a] + degree[a]):
                        four += next_to_v[lists[i]]
            elif max_length > 4:
                n_reached = 0
                for a in u_list:
                    for i in range(ptr[a], ptr[a] + degree[a]):
                        x = lists[i]
                        if of_u[x] == 0:
                            reached[n_reached] = x
                            n_reached += 1
                        of_u[x] += 1
                for b in v_list:
                    for i in range(ptr[b], ptr[b] + degree[b]):
                        of_v[lists[i]] += 1
                of_u[u] = of_u[v] = of_v[u] = of_v[v] = 0
                for a in u_list:
                    four += of_v[a]
                    if next_to_v[a] == 1:
                        five -= degree[a] - 2
                        six -= 2 * (triangles[a] - of_u[a] - of_v[a])
                    six -= (degree[a] - 1 - next_to_v[a]) * of_v[a]
                for b in v_list:
                    six -= (degree[b] - 1 - next_to_u[b]) * of_u[b]
                for i in range(n_reached):
                    x = reached[i]
                    five += of_u[x] * of_v[x]
                    if max_length > 5 and of_u[x] > 0:
                        behind = 0
                        for k in range(ptr[x], ptr[x] + degree[x]):
                            behind += of_v[lists[k]]
                        six += of_u[x] * behind
                    of_u[x] = 0
                for b in v_list:
                    for i in range(ptr[b], ptr[b] + degree[b]):
                        of_v[lists[i]] = 0
                six += four
            here[3] += three
            here[4] += four
            here[5] += five
            here[6] += six
            for a in u_list:
                triangles[a] += next_to_v[a]
                next_to_u[a] = 0
            for b in v_list:
                next_to_v[b] = 0
            triangles[u] += three
            triangles[v] += three
        lists[ptr[u] + degree[u]], lists[ptr[v] + degree[v]] = v, u
        degree[u] += 1
        degree[v] += 1
