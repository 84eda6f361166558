"""Dominators in Python: the kernel's way (semi-NCA) and what is summed up along them."""

import numpy as np

from gasoline_cdp.analysis.heap.columns import Bytes, Columns, Longs, Words
from gasoline_cdp.analysis.heap.tables import ClassedNodes, ClassSums


def find_dominators(columns: Columns, essential: Bytes, self_size: Words) -> tuple[Words, Longs]:
    """The dominator of each node, and what it retains."""
    root = columns.header.root
    nodes = len(self_size)
    retained = self_size.astype(np.int64)
    kept = np.unpackbits(essential, bitorder="little")[: len(columns.edge_to)].astype(bool)
    # Only the essential edges from here on.
    before = np.zeros(len(kept) + 1, np.int64)
    np.cumsum(kept, out=before[1:])
    first_edge = before[columns.first_edge]
    edge_to = columns.edge_to[kept]
    held = np.bincount(edge_to, minlength=nodes)
    order, number, parent = _walk(root, first_edge, edge_to, np.flatnonzero(held == 0))
    above = _immediate(first_edge, edge_to, order, number, parent)
    node_of = np.array(order, np.int64)
    dominator = np.full(nodes, root, np.uint32)
    dominator[node_of[1:]] = node_of[np.array(above, np.int64)[1:]]
    sizes = retained[node_of].tolist()
    for index in range(len(order) - 1, 0, -1):
        sizes[above[index]] += sizes[index]
    unreached = np.ones(nodes, bool)
    unreached[node_of] = False
    sizes[0] += int(retained[unreached].sum())
    retained[node_of] = sizes
    return dominator, retained


def _walk(root: int, first_edge: Longs, edge_to: Words, orphans: Longs) -> tuple[list[int], list[int], list[int]]:
    """Depth first: the nodes in the order they are met, the number of each, and who met it."""
    begins, targets = first_edge.data, edge_to.data
    number = [-1] * (len(first_edge) - 1)
    order: list[int] = []
    parent: list[int] = []
    coming = first_edge[:-1].tolist()
    for top in (root, *orphans.tolist()):
        if number[top] >= 0:
            continue
        number[top] = len(order)
        order.append(top)
        parent.append(0)
        path = [top]
        while path:
            node = path[-1]
            edge, end = coming[node], begins[node + 1]
            while edge < end and number[targets[edge]] >= 0:
                edge += 1
            coming[node] = edge
            if edge == end:
                path.pop()
                continue
            to = targets[edge]
            number[to] = len(order)
            order.append(to)
            parent.append(number[node])
            path.append(to)
    return order, number, parent


def _immediate(first_edge: Longs, edge_to: Words, order: list[int], number: list[int], parent: list[int]) -> list[int]:
    """The immediate dominators, by number."""
    count = len(order)
    numbers = np.array(number, np.int64)
    source = numbers[np.repeat(np.arange(len(number)), np.diff(first_edge))]
    reached = source >= 0
    source, target = source[reached], numbers[edge_to[reached]]
    by_target = np.argsort(target, kind="stable")
    leading = source[by_target].data
    first = _begins(target, count).tolist()
    ancestor = parent.copy()
    label = list(range(count))
    semi = [0] * count
    for index in range(count - 1, 0, -1):
        lowest = parent[index]
        for arrow in range(first[index], first[index + 1]):
            leads = leading[arrow]
            if leads > index:
                start = leads
                path = []
                while ancestor[leads] > index:
                    path.append(leads)
                    leads = ancestor[leads]
                for below in reversed(path):
                    label[below] = min(label[below], label[leads])
                    ancestor[below] = ancestor[leads]
                    leads = below
                leads = label[start]
            lowest = min(lowest, leads)
        semi[index] = label[index] = lowest
    return _nearest_above(parent, semi)


def _nearest_above(parent: list[int], semi: list[int]) -> list[int]:
    """The nearest dominator of each node that is no later than its semidominator. See the kernel for `jump`."""
    above = parent.copy()
    depth, jump = [0] * len(parent), [0] * len(parent)
    for index in range(1, len(parent)):
        here, lowest = above[index], semi[index]
        while here > lowest:
            here = jump[here] if jump[here] > lowest else above[here]
        above[index] = here
        depth[index] = depth[here] + 1
        far = jump[here]
        even = depth[here] - depth[far] == depth[far] - depth[jump[far]]
        jump[index] = jump[far] if even else here
    return above


def sum_classes(graph: ClassedNodes, class_of: Words, classes: int, *, distances: bool) -> ClassSums:
    """Adds up the nodes of each class; it retains what those of its nodes retain that no other node of it dominates."""
    sums = ClassSums.empty(classes)
    sized = np.flatnonzero(graph.self_size)
    np.add.at(sums.count, class_of[sized], 1)
    np.add.at(sums.self_size, class_of[sized], graph.self_size[sized])
    if distances:
        np.minimum.at(sums.distance, class_of[sized], graph.distance[sized])
    children = np.argsort(graph.dominator, kind="stable")
    children = children[children != graph.root]
    begins = _begins(graph.dominator[children], len(class_of)).tolist()
    below, counts = children.data, graph.self_size.data
    retained, sizes, kinds = sums.retained_size.data, graph.retained_size.data, class_of.data
    is_open = bytearray(classes)
    # A node to enter, or the complement of one to leave.
    stack = [graph.root]
    while stack:
        node = stack.pop()
        if node < 0:
            is_open[kinds[~node]] = False
            continue
        kind = kinds[node]
        if counts[node] and not is_open[kind]:
            retained[kind] += sizes[node]
            if begins[node] != begins[node + 1]:
                is_open[kind] = True
                stack.append(~node)
        stack.extend(below[begins[node] : begins[node + 1]])
    return sums


def _begins(numbers: Longs | Words, count: int) -> Longs:
    """Where each number begins, in numbers that are sorted."""
    begins = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(numbers, minlength=count), out=begins[1:])
    return begins
