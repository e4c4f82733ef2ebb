import MediaUnits
import Models
import SimulationKernel
import UploadPolicy

/// Uploads and what becomes of them, as a scenario of the world `pipeline` has them.
public struct PipelinePlan: SectionPlan {
  public var configuration: PipelineConfiguration

  /// The world's keys and metrics.
  public static let kind = WorldKind(
    name: "pipeline",
    summary: "Uploads, the event bus, inspection, moderation, transcoding and publishing",
    table: PipelineTable.section, metrics: PipelineMetrics.rows.flatMap(\.metrics),
    headline: PipelineMetrics.headline
  ) { tree, size, problems in
    .pipeline(PipelinePlan(tree, size, problems: &problems))
  }

  private init(_ tree: ResolvedTree, _ size: WorldSize, problems: inout Problems) {
    var tables = LawTables()
    let part = tree.at("uploads")
    let warmUp = PipelinePlan.span(part, "warmUp").scaled(by: size.share)
    let window = PipelinePlan.span(part, "window").scaled(by: size.share)
    let orchestration = tree.at("orchestration")
    let publish = tree.at("publish")
    configuration = PipelineConfiguration(
      warmUp: warmUp, window: window,
      uploader: PipelinePlan.uploader(tree, warmUp + window, &tables),
      service: UploadService.Configuration(isIdempotent: tree.boolean("client.idempotent")),
      serviceTime: QuantileTable(constant: 0.02), busDelay: tables.table(tree, "bus.delay"),
      duplicateShare: tree.ratio("bus.duplicateShare"),
      duplicateDelay: tables.table(tree, "bus.duplicateDelay"),
      ledger: ExecutionLedger.Configuration(isNamed: tree.boolean("bus.namedExecutions")),
      machine: PipelineMachine.Configuration(
        rules: InspectionRules(
          longest: PipelinePlan.span(tree, "rules.longest"),
          largest: ByteCount(tree.bytes("rules.largest"))),
        isParallel: orchestration.boolean("parallel"),
        order: PipelineTable.orders.value(publish, "order"),
        retries: Int(orchestration.integer("retries")),
        timeout: PipelinePlan.span(orchestration, "timeout")),
      stages: ["inspect", "moderate", "transcode", "storyboard"].map {
        PipelinePlan.stage(tree.at("stages").at($0), &tables)
      },
      transition: tables.table(orchestration, "transition"),
      transitionPrice: orchestration.real("transitionPrice"),
      submitLoss: orchestration.ratio("submitLoss"),
      submitTimeout: PipelinePlan.span(orchestration, "submitTimeout"),
      hasTokens: orchestration.boolean("tokens"), flagShare: tree.ratio("rules.flagShare"),
      writeTime: tables.table(publish, "write"), indexLag: tables.table(publish, "indexLag"),
      readRate: publish.real("readRate"), reads: Int(publish.integer("reads")),
      viewLength: PipelinePlan.span(publish, "viewLength"),
      deletesOld: publish.boolean("deletesOld"))
    // The store takes 10,000 parts of one file (parameters section 8), and no file is beyond 40 GB.
    if tree.bytes("client.partSize") < 4_000_000 {
      problems.add(
        tree.problem(at: "client.partSize", expected: "4 MB or more: a file has 10,000 parts"))
    }
    problems.add(tables.problems)
  }

  private static func span(_ part: ResolvedTree, _ key: String) -> TimeSpan {
    TimeSpan(nanoseconds: part.time(key))
  }

  private static func uploader(
    _ tree: ResolvedTree, _ length: TimeSpan, _ tables: inout LawTables
  ) -> UploaderSettings {
    let part = tree.at("uploads")
    let client = tree.at("client")
    let rate = part.real("perSecond")
    return UploaderSettings(
      uploads: RateProfile([(time: 0, rate: rate), (time: length.seconds, rate: rate)]),
      duration: tables.table(part, "duration", isPositive: true),
      sourceRate: tables.table(part, "sourceRate", limit: 1e9, isPositive: true),
      uplink: tables.table(part, "uplink", limit: 1e12, isPositive: true),
      client: UploadMachine.Configuration(
        partSize: ByteCount(client.bytes("partSize")),
        parallelism: Int(client.integer("parallelism")),
        patience: Int(client.integer("patience")), resumes: client.boolean("resumes")),
      farShare: part.ratio("farShare"), nearRoundTrip: span(part, "nearRoundTrip"),
      farRoundTrip: span(part, "farRoundTrip"), loss: part.ratio("loss"),
      isAccelerated: part.boolean("accelerated"), outageShare: part.ratio("outageShare"),
      outage: tables.table(part, "outage"), answerLoss: part.ratio("answerLoss"),
      unsupportedShare: part.ratio("unsupportedShare"),
      republishShare: part.ratio("republishShare"),
      republishAfter: span(part, "republishAfter"))
  }

  private static func stage(
    _ part: ResolvedTree, _ tables: inout LawTables
  ) -> StageSettings {
    StageSettings(
      servers: Int(part.integer("servers")), fixed: tables.table(part, "fixed"),
      perSecond: tables.table(part, "perSecond"), failureShare: part.ratio("failureShare"),
      price: part.real("price"), pricePerMinute: part.real("pricePerMinute"))
  }
}

extension PipelinePlan {
  public var load: WorldLoad? {
    WorldLoad(key: "pipeline.uploads.perSecond") { factor in
      var plan = self
      plan.configuration.uploader.uploads = configuration.uploader.uploads.scaled(by: factor)
      return .pipeline(plan)
    }
  }
}
