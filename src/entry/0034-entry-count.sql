-- How many entries each parent has in each listing: totals of lists read it. The database counts in each write's transaction.
{count_rows entry parent listing};
