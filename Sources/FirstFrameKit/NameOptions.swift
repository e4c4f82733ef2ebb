import ArgumentParser
import Scenario

extension IndustryNames: ExpressibleByArgument {}

/// `--metric-names`.
struct NameOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Also print the metrics under the names of a dashboard: mux, conviva or cta2066.",
      discussion: "What each of them means, and where ours differs, is in "
        + "docs/reference/industry-names.md.", valueName: "whose"))
  var metricNames: IndustryNames?
}
