extension NotebookReport {
  /// The parts of a sweep's notebook, in order.
  static let sweepSections = [
    Notebook.Section(
      id: "asked", title: "What was varied",
      prose: """
        Every point is the scenario with other values of these keys. All points use the same \
        random numbers, so the difference of two points is known far better than either of them.
        """),
    Notebook.Section(
      id: "points", title: "Every point",
      prose: """
        Ratios are ratios of the sums over the replications, everything else is the mean of the \
        replications' values, percentiles too; with half of the 95 % interval. The folder's \
        `points.csv` holds the same numbers for a spreadsheet.
        """),
    Notebook.Section(
      id: "front", title: "The front",
      prose: """
        A point is on the Pareto front when no other one is better in one of the metrics and at \
        least as good in the others. Surely: the paired differences over the replications say so \
        with confidence; by the means: the means say so and the differences could be chance. The \
        whiskers are 95 % intervals of each point by itself and overlap more than the paired \
        differences do.
        """),
    Notebook.Section(
      id: "lines", title: "Metrics over the keys",
      prose: """
        One panel for each metric, the first key across, one curve for each value of the second. \
        Whiskers are 95 % intervals; the curves stand a little apart so that none hides another.
        """),
    Notebook.Section(
      id: "effects", title: "What each key does",
      prose: """
        The effect of a value is the mean over the points that have it, less the mean over all; \
        of a range, what the key changes from one end to the other; Sobol and Morris designs give \
        their indices. Where an interval holds zero, the effect cannot be told from none.
        """),
    files,
  ]
}
