import Studies

extension WhatIfPage {
  /// The page of a run.
  ///
  /// - Parameters:
  ///   - base: the same run again.
  ///   - hasReport: whether the run's report stands beside the page.
  public init(
    _ run: WhatIfRun, base: WhatIfBase, controls: WhatIfControls, hasReport: Bool
  ) {
    self.init(
      identity: run.identity(hasReport: hasReport),
      base: Base(
        metrics: base.metrics, budgets: base.budgets, budgetMetrics: base.budgetMetrics,
        fingerprints: base.fingerprints, curve: base.curve, image: base.image, plan: base.plan,
        cost: base.cost),
      controls: controls)
  }
}
