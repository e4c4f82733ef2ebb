extension NotebookReport {
  /// The parts of a run's notebook, in order.
  static let runSections: [Notebook.Section] =
    [
      Notebook.Section(
        id: "asked", title: "What was asked",
        prose: """
          The scenario, and how much of it was run. A replication is the whole scenario with other \
          random numbers; every 95 % interval below is over the replications. The digest names \
          scenario, seed and replications: the same digest gives the same bytes.
          """,
        topics: [.ttff, .caches]),
      Notebook.Section(
        id: "budgets", title: "Verdicts and budgets",
        prose: """
          A budget passes or fails only when its interval keeps clear of the limit; otherwise it \
          is inconclusive, and with too few samples invalid. The margin is the distance to the \
          limit in parts of the limit, positive where the budget is kept. Green: pass, red: fail, \
          grey: undecided.
          """,
        topics: [.ttff, .caches]),
    ] + startupSections + cacheSections + [
      Notebook.Section(
        id: "cohorts", title: "Cohorts",
        prose: """
          The same metrics for parts of the audience. An average over all networks and devices can \
          hold while one of them fails.
          """,
        topics: [.ttff]),
      files,
    ]

  private static let startupSections = [
    Notebook.Section(
      id: "times", title: "Time to first frame",
      prose: """
        The clocks differ in when they start: with a session (at app open where the devices have \
        an `appLaunch`, else at the feed's first request), when a swipe settles, or when the \
        player is told to play. The curves show which share of the views is still without a first \
        frame, on logarithmic axes: Kaplan and Meier's product-limit estimate from the histograms \
        in `hist/`, which takes views that were left early as censored and not as fast. A curve \
        that begins below 100 % does so because the other views started within 10 ms. Dots \
        with whiskers are percentiles and their 95 % intervals. Curves and percentiles are of all \
        replications' times together, so a dot lies on its curve but for the width of a bucket, \
        1.6 %. The bars show every view that took any time, the display's own included, three to \
        a doubling of the time.
        """,
      topics: [.ttff]),
    Notebook.Section(
      id: "classes", title: "How soon views start",
      prose: "All views by when their first frame came, pooled over the replications.",
      topics: [.ttff]),
    Notebook.Section(
      id: "startup", title: "Where startup time goes",
      prose: """
        The parts of a startup follow one another and sum to the first frame; the times are means \
        over the views of a band, pooled over the replications. The bands around a percentile \
        hold the started views within half a percent of it.
        """,
      topics: [.ttff]),
    Notebook.Section(
      id: "late", title: "Late starts",
      prose: """
        Views without a first frame when the limit was reached, by the part that had taken \
        longest. Hatched: something that the view waited for was not in the edge cache.
        """,
      topics: [.ttff]),
  ]

  private static let cacheSections = [
    Notebook.Section(
      id: "hits", title: "Hit ratios",
      prose: """
        Hits are answers from the cache without asking another tier, stale ones that the \
        directives allow included, as a share of all answers but errors. Ratios over all classes \
        count media, posters and storyboards, not manifests and playlists. Origin offload is the \
        share of the delivered bytes that the origin did not send.
        """,
      topics: [.caches]),
    Notebook.Section(
      id: "caches", title: "Caches by tier and class",
      prose: """
        What became of the requests at each tier, pooled over the replications. `revalidated`: the \
        next tier confirmed the stored copy. `collapsed`: the request waited for another one of \
        the same object. The row `all` counts every class.
        """,
      topics: [.caches]),
  ]

  static let files = Notebook.Section(
    id: "files", title: "Files",
    prose: """
      The files that the cells above read. Equal digests mean that the figures show the same \
      numbers. When and from which commit a run was made stands in its `provenance.json`.
      """,
    topics: [.ttff, .caches])
}
