import Scenario
import Studies

/// A notebook that shows what `capacity.json` holds and computes no number of its own.
public enum CapacityNotebook {
  /// - Parameter runDirectory: the folder of `capacity.json`, from the notebook's own folder.
  public static func text(_ plan: CapacityPlan, runDirectory: String) -> String {
    let digest = CapacityDocument.digest(plan)
    let opening = """
      # \(Notebook.escaped(CapacityReport.title(plan)))

      Digest `\(digest)`, seed \(plan.scenario.seed). The notebook shows what `capacity.json` \
      holds and simulates nothing. \(NotebookReport.needs) For another plan change `run_dir`, or \
      pass it with papermill.
      """
    // What was taken stands behind the plan's levels, whose section opens the document.
    let shown = plan.observation == nil ? parts : [parts[0], observed] + parts.dropFirst()
    let provider = CapacityReport.curveProvider(plan)
    return Notebook(
      about: [
        .init("digest", .string(digest)), .init("kind", "capacity"),
        .init("scenario", .string(plan.scenario.name)),
        .init("seed", .integer(Int64(bitPattern: plan.scenario.seed))),
      ], opening: opening, folder: runDirectory, sections: shown.map { named($0, provider) }
    ).text()
  }

  /// Of several providers the curve's section names the one that it is of.
  private static func named(_ part: Notebook.Section, _ provider: String?) -> Notebook.Section {
    guard let provider, part.id == "curve" else { return part }
    var named = part
    named.prose += " Of the edges of several providers it is one of \(Notebook.escaped(provider))."
    named.arguments = Notebook.literal(provider)
    return named
  }

  private static let observed = Notebook.Section(
    id: "observed", title: "What was taken",
    prose: "What the files of `--audience` and `--logs` say, and what the plan says beside it.")

  private static let parts: [Notebook.Section] = [
    Notebook.Section(
      id: "levels", title: "Peak and provisioning",
      prose: "What the audience takes in its busiest minutes, with 10 % less and more, and twice."),
    Notebook.Section(
      id: "breaks", title: "What gives way first",
      prose: """
        How far the audience may grow. What the plan has sized for the audience (marked) holds it \
        by construction. Whiskers are 95 % intervals of the simulated search; the rest are closed \
        forms.
        """),
    Notebook.Section(
      id: "curve", title: "Bytes of an edge",
      prose: "Misses over the bytes of an edge, by closed form at the mean load."),
    Notebook.Section(
      id: "costs", title: "A month",
      prose: "By line, at the audience. Check the prices against your own contract."),
    Notebook.Section(
      id: "assumptions", title: "Assumptions",
      prose: "What the plan takes for granted beside the scenario."),
    NotebookReport.files,
  ]
}
