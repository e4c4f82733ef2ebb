/// How strict the code rules are about a file.
public enum Zone: Sendable {
  /// L0: what an app ships.
  case policy
  /// The kernel and the models: Embedded Swift as well.
  case embedded
  /// `Statistics`: deterministic, but may use Foundation and the C library.
  case numerics
  /// L3 and above, and the tools.
  case upper
  case tests
}

/// One row of the layer table: what a module's sources may import.
public struct ModuleLayer: Sendable {
  public let name: String
  /// `L0` … `L5`, or `tool`.
  public let level: String
  public let zone: Zone
  public let imports: [String]

  public init(_ name: String, _ level: String, _ zone: Zone, imports: [String]) {
    self.name = name
    self.level = level
    self.zone = zone
    self.imports = imports
  }
}

/// A folder of plug-ins, each of which must be named in one registry file.
public struct PluginFamily: Sendable {
  public let folder: String
  /// How the names of the plug-ins' files end; other files of the folder are none.
  public let suffix: String
  public let registry: String

  public init(folder: String, suffix: String = ".swift", registry: String) {
    self.folder = folder
    self.suffix = suffix
    self.registry = registry
  }

  /// Whether a file is one of the family's plug-ins.
  func has(_ source: SourceText) -> Bool {
    source.kind == .swift && source.path.hasPrefix(folder + "/") && source.path.hasSuffix(suffix)
      && source.path != registry
  }
}

/// The house as a table (docs/ARCHITECTURE.md, levels): every module folder, what it may import,
/// and the plug-in families.
public struct Layout: Sendable {
  public var modules: [ModuleLayer]
  public var families: [PluginFamily]
  /// Modules above L0 that are library products although they are linked with GSL, on purpose
  /// (docs/decisions/0044).
  public var libraries: Set<String>
  /// Folders with Swift files that no package target builds, on purpose.
  public var foldersOutsidePackage: [String]
  /// What every test target may import beside our own modules.
  public var testImports: [String]
  /// The module that only an `internal import` may name (docs/decisions/0001).
  public var hiddenModule: String
  /// Where numbers that results depend on are given.
  public var registries: NumberRegistries
  /// Folders in which a word of a file may pick its meaning in tables only.
  public var tableFolders: [String]
  /// Where code may look at the kind of a scenario's world.
  public var worldDoors: WorldDoors
  /// What folders of a module may use although it closes a circle; the list is to become shorter.
  public var circles: [FolderAllowance]
  /// How many files of any folder may call each other in a circle.
  public var filesInCircle: Int
  /// Folders in which more may; the numbers are to become smaller.
  public var fileCircles: [FileCircleLimit]
  /// How many stored properties a type may have.
  public var fieldsOfType: Int
  /// Types that may have more; the list and its numbers are to become smaller.
  public var largeTypes: [TypeLimit]

  public init(
    modules: [ModuleLayer], families: [PluginFamily] = [], libraries: Set<String> = [],
    foldersOutsidePackage: [String] = [],
    testImports: [String] = ["Testing"], hiddenModule: String = "CGSL",
    registries: NumberRegistries = .firstFrame,
    tableFolders: [String] = ["Sources/Scenario"], worldDoors: WorldDoors = .firstFrame,
    circles: [FolderAllowance] = [], filesInCircle: Int = 5, fileCircles: [FileCircleLimit] = [],
    fieldsOfType: Int = 24, largeTypes: [TypeLimit] = []
  ) {
    self.modules = modules
    self.families = families
    self.libraries = libraries
    self.foldersOutsidePackage = foldersOutsidePackage
    self.testImports = testImports
    self.hiddenModule = hiddenModule
    self.registries = registries
    self.tableFolders = tableFolders
    self.worldDoors = worldDoors
    self.circles = circles
    self.filesInCircle = filesInCircle
    self.fileCircles = fileCircles
    self.fieldsOfType = fieldsOfType
    self.largeTypes = largeTypes
  }

  func module(named name: String) -> ModuleLayer? { modules.first { $0.name == name } }

  private static let libc = ["Glibc", "Musl", "Darwin"]
  private static let host = ["Foundation", "Dispatch", "Synchronization"] + libc
  private static let sockets = [
    "NIOCore", "NIOConcurrencyHelpers", "NIOPosix", "NIOHTTP1", "NIOWebSocket", "NIOTLS", "NIOSSL",
    "NIOHTTP2", "NIOHPACK", "HTTPTypes", "Logging", "Hummingbird", "HummingbirdCore",
    "HummingbirdTLS",
    "HummingbirdHTTP2",
    "Histogram",
  ]
  private static let modelsAndBelow = [
    "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery", "CallSignalling",
    "ServicePolicy", "UploadPolicy", "SimulationKernel", "Models",
  ]
  /// What the module `Models` gathers under its name.
  private static let rooms = [
    "ModelBasics", "NetworkModels", "AudienceModel", "CacheModel", "FeedModel", "ServiceModel",
    "MessagingModel", "CallsModel", "PeerModels",
  ]
  private static let studiesAndBelow =
    modelsAndBelow + ["ForeignPolicies", "Statistics", "Scenario", "Studies"]

  /// The layer table of this repository. A new module is one line here and one in `Package.swift`.
  public static let firstFrame = Layout(
    modules: [
      ModuleLayer("MediaUnits", "L0", .policy, imports: []),
      ModuleLayer("FeedPolicy", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("CachePolicy", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("MessageDelivery", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("CallSignalling", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("ServicePolicy", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("UploadPolicy", "L0", .policy, imports: ["MediaUnits"]),
      ModuleLayer("SimulationKernel", "L1", .embedded, imports: ["MediaUnits"]),
      ModuleLayer("CGSL", "L1", .numerics, imports: []),
      ModuleLayer("Estimation", "L1", .embedded, imports: ["MediaUnits"]),
      ModuleLayer(
        "Statistics", "L1", .numerics,
        imports: ["CGSL", "MediaUnits", "Estimation", "Foundation"] + libc),
      ModuleLayer("CPrefetch", "L1", .embedded, imports: []),
      ModuleLayer(
        "ModelBasics", "L2", .embedded,
        imports: ["MediaUnits", "SimulationKernel", "Synchronization"]),
      ModuleLayer(
        "NetworkModels", "L2", .embedded,
        imports: ["MediaUnits", "SimulationKernel", "ModelBasics"]),
      ModuleLayer(
        "AudienceModel", "L2", .embedded,
        imports: ["MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "ModelBasics"]),
      ModuleLayer(
        "CacheModel", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "ModelBasics",
          "AudienceModel",
        ]),
      ModuleLayer(
        "FeedModel", "L2", .embedded,
        imports: [
          "CPrefetch", "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel",
          "ModelBasics", "NetworkModels", "AudienceModel", "CacheModel",
        ]),
      ModuleLayer(
        "FeedPage", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "CacheModel", "FeedModel",
        ]),
      ModuleLayer(
        "Metering", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "CachePolicy", "Estimation", "ModelBasics",
          "AudienceModel", "CacheModel", "FeedModel",
        ]),
      ModuleLayer(
        "FeedImage", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "Estimation",
          "NetworkModels",
          "AudienceModel", "CacheModel", "FeedModel",
        ]),
      ModuleLayer(
        "WhatIf", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "Estimation",
          "CacheModel", "FeedModel", "Metering", "FeedImage",
        ]),
      ModuleLayer(
        "ServiceModel", "L2", .embedded,
        imports: [
          "MediaUnits", "FeedPolicy", "ServicePolicy", "UploadPolicy", "SimulationKernel",
          "ModelBasics", "AudienceModel",
        ]),
      ModuleLayer(
        "MessagingModel", "L2", .embedded,
        imports: ["MediaUnits", "MessageDelivery", "SimulationKernel", "ModelBasics"]),
      ModuleLayer(
        "CallsModel", "L2", .embedded,
        imports: [
          "MediaUnits", "CallSignalling", "SimulationKernel", "ModelBasics", "MessagingModel",
        ]),
      ModuleLayer("PeerModels", "L2", .embedded, imports: ["MediaUnits"]),
      ModuleLayer("Models", "L2", .embedded, imports: rooms),
      ModuleLayer("CProcess", "L3", .upper, imports: []),
      ModuleLayer(
        "ForeignPolicies", "L3", .upper,
        imports: [
          "CProcess", "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery",
          "CallSignalling", "SimulationKernel", "Models",
        ] + host),
      ModuleLayer(
        "Scenario", "L3", .upper,
        imports: modelsAndBelow + [
          "ForeignPolicies", "Metering", "Statistics", "Yams", "CYaml", "Foundation",
          "Synchronization",
        ]),
      ModuleLayer(
        "Telemetry", "L3", .upper, imports: ["SimulationKernel", "Scenario", "Foundation"]),
      ModuleLayer(
        "Studies", "L3", .upper,
        imports: modelsAndBelow + [
          "ForeignPolicies", "Statistics", "Scenario", "Metering", "FeedImage", "WhatIf",
        ] + host),
      ModuleLayer("CCommit", "L4", .upper, imports: []),
      ModuleLayer(
        "Reports", "L4", .upper,
        imports: studiesAndBelow + ["CCommit", "Foundation", "Synchronization"]),
      ModuleLayer("MachineDoctor", "L4", .upper, imports: host),
      ModuleLayer(
        "LoadHarness", "L4", .upper,
        imports: studiesAndBelow + ["CProcess", "Telemetry"] + sockets + host),
      ModuleLayer("firstframe-live", "L5", .upper, imports: ["FirstFrameLiveKit"]),
      ModuleLayer(
        "FirstFrameLiveKit", "L5", .upper,
        imports: studiesAndBelow + ["Reports", "LoadHarness", "ArgumentParser"] + sockets + host),
      ModuleLayer("firstframe", "L5", .upper, imports: ["FirstFrameKit"]),
      ModuleLayer(
        "FirstFrameKit", "L5", .upper,
        imports: studiesAndBelow
          + ["Telemetry", "Reports", "MachineDoctor", "ArgumentParser", "CHeap", "CProcess"]
          + host),
      ModuleLayer("CHeap", "L5", .upper, imports: []),
      ModuleLayer(
        "firstframe-bench", "tool", .upper,
        imports: studiesAndBelow + ["Telemetry", "Reports", "BenchBaselines"] + host),
      ModuleLayer("BenchBaselines", "tool", .upper, imports: []),
      ModuleLayer(
        "FidelityKit", "tool", .upper,
        imports: ["MediaUnits", "SimulationKernel", "Models", "Scenario", "Foundation"]),
      ModuleLayer(
        "firstframe-fidelity", "tool", .upper, imports: ["FidelityKit", "Foundation"]),
      ModuleLayer("TidyKit", "tool", .upper, imports: ["Foundation"]),
      ModuleLayer("tidy", "tool", .upper, imports: ["TidyKit", "Foundation"]),
    ],
    families: [
      PluginFamily(
        folder: "Sources/CacheModel/Eviction/Policies",
        registry: "Sources/CacheModel/Eviction/EvictionKind.swift"),
      PluginFamily(
        folder: "Sources/FeedPolicy/Prefetch/Families",
        registry: "Sources/FeedPolicy/Prefetch/PrefetchFamily.swift"),
      PluginFamily(
        folder: "Sources/Scenario/Traces", suffix: "Format.swift",
        registry: "Sources/Scenario/Traces/TraceFormat.swift"),
      PluginFamily(
        folder: "Sources/Scenario/Worlds", suffix: "Plan.swift",
        registry: "Sources/Scenario/Worlds/World.swift"),
    ],
    libraries: ["FirstFrameKit", "FirstFrameLiveKit"],
    foldersOutsidePackage: [
      "Sources/python", "Tests/EmbeddedHost", "Tests/Mutants", "Tests/python",
      "Tests/Reference",
    ],
    testImports: [
      "Testing", "PolicyTesting", "PrivacyTesting", "SlowTesting", "ReferenceFiles",
      "SamplePolicies", "SampleRules",
      "FoundationXML",
    ] + sockets + host,
    circles: [
      FolderAllowance(
        "FeedPolicy", from: "Prefetch", to: "", ["PlayerPool"],
        because: "what a family's row fixes follows from the pool's configuration, and the "
          + "module's own files hold both the pool and the log of the prefetch"),
      FolderAllowance(
        "Scenario", from: "Metrics", to: "Worlds", ["World"],
        because: "the names of metrics are those of all worlds"),
      FolderAllowance(
        "Scenario", from: "Table", to: "Build", ["ScenarioBuilder", "SweepPlan"],
        because: "a row of a table says what it builds"),
      FolderAllowance(
        "Scenario", from: "Table", to: "CacheTraces", ["CacheWords"],
        because: "a row reads its word as the command line does"),
      FolderAllowance(
        "Studies", from: "", to: "Gate", ["ChangeJudge"],
        because: "a study with a baseline asks at its looks whether the gate can stop"),
    ],
    largeTypes: measureTypes + keyTypes)

  /// Sums and counts of a run: a name each, added to in one place and written out by name.
  private static let measureTypes = [
    ("CallsModel", "CallsMeasures", 51), ("ServiceModel", "ServicesMeasures", 47),
    ("Reports", "RunRecord", 36), ("MessagingModel", "MessagingMeasures", 32),
    ("ServiceModel", "PipelineMeasures", 29), ("Studies", "StudyResult", 28),
    ("FeedModel", "FeedCounts", 27), ("FeedModel", "FeedMeasures", 26),
  ].map {
    TypeLimit(
      "Sources/" + $0, $1, fields: $2,
      because: "it is a list of results, each of which has a name in the output")
  }

  /// Keys of a scenario: written when it is read and by nobody after that.
  private static let keyTypes = [
    TypeLimit(
      "Sources/AudienceModel", "CatalogueConfiguration", fields: 30,
      because: "it is a list of keys, each of which is one of a scenario")
  ]
}
