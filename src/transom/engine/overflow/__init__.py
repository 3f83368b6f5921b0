"""What happens when the history outgrows its window: the runner, its budget and the strategies."""
