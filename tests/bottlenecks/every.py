"""All labelled stacks."""

from bottlenecks import go_stacks, model_stacks, node_stacks, php_stacks

STACKS = (*node_stacks.STACKS, *php_stacks.STACKS, *model_stacks.STACKS, *go_stacks.STACKS)
