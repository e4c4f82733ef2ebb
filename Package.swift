// swift-tools-version: 6.2
import PackageDescription

// Every target of ours: Swift 6 mode, `any` spelled out, warnings are errors.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]

/// A library or executable of the house; `below` names what stands under it (docs/ARCHITECTURE.md).
func house(_ name: String, below: [Target.Dependency]) -> Target {
  // Square roots are libm's on Linux, which a program without Foundation does not link by itself.
  .target(
    name: name, dependencies: below, swiftSettings: strict,
    linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))])
}

/// Tests of `subjects`. Optimising them would take as long as optimising what they test, for code
/// that runs once.
func tests(
  _ name: String, of subjects: [Target.Dependency], without folders: [String] = []
) -> Target {
  // tidy:allow build-flag because tests are in no product, so that others can depend on the package
  let unoptimised = SwiftSetting.unsafeFlags(["-Onone"], .when(configuration: .release))
  return .testTarget(
    name: name, dependencies: subjects, exclude: folders, swiftSettings: strict + [unoptimised])
}

/// A package of others, held to the minor version that this one was tested with: `Package.resolved`
/// is not kept, and a clone of next year shall build as one of today does. Of its traits it has the
/// named ones only: what nobody uses need not be compiled.
func bounded(
  _ url: String, _ version: Version, with traits: Set<Package.Dependency.Trait> = [.defaults]
) -> Package.Dependency {
  .package(url: url, .upToNextMinor(from: version), traits: traits)
}

// Real sockets: only what drives or is a real server needs them, so that the first build of
// `firstframe` compiles none of it.
let sockets: [Target.Dependency] = [
  .product(name: "NIOCore", package: "swift-nio"),
  .product(name: "NIOPosix", package: "swift-nio"),
  .product(name: "NIOHTTP1", package: "swift-nio"),
  .product(name: "NIOWebSocket", package: "swift-nio"),
  .product(name: "NIOTLS", package: "swift-nio"),
  .product(name: "NIOSSL", package: "swift-nio-ssl"),
  .product(name: "NIOHTTP2", package: "swift-nio-http2"),
  .product(name: "NIOHPACK", package: "swift-nio-http2"),
  .product(name: "HTTPTypes", package: "swift-http-types"),
  .product(name: "Logging", package: "swift-log"),
  .product(name: "Hummingbird", package: "hummingbird"),
  .product(name: "HummingbirdCore", package: "hummingbird"),
  .product(name: "HummingbirdTLS", package: "hummingbird"),
  .product(name: "HummingbirdHTTP2", package: "hummingbird"),
  .product(name: "Histogram", package: "hdrhistogram-swift"),
]

// The commit that `--version` tells. Only `.ci/package` says it: an ordinary build, which would be
// linked again after each commit otherwise, calls itself a source build.
let commit = Context.environment["FIRSTFRAME_COMMIT"] ?? ""
precondition(
  commit.allSatisfy { $0.isHexDigit || "-changed".contains($0) },
  "FIRSTFRAME_COMMIT: expected hexadecimal digits, got \(commit)")

let package = Package(
  name: "FirstFrame",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    // L0: what an app or a server imports.
    .library(name: "MediaUnits", targets: ["MediaUnits"]),
    .library(name: "FeedPolicy", targets: ["FeedPolicy"]),
    .library(name: "CachePolicy", targets: ["CachePolicy"]),
    .library(name: "MessageDelivery", targets: ["MessageDelivery"]),
    .library(name: "CallSignalling", targets: ["CallSignalling"]),
    .library(name: "ServicePolicy", targets: ["ServicePolicy"]),
    .library(name: "UploadPolicy", targets: ["UploadPolicy"]),
    // The command line for a program with policies of its own (docs/decisions/0044). What is linked
    // with it is linked with GSL, whose licence is GPL-3.
    .library(name: "FirstFrameKit", targets: ["FirstFrameKit"]),
    // Its live runs, which bring sockets along.
    .library(name: "FirstFrameLiveKit", targets: ["FirstFrameLiveKit"]),
    .executable(name: "firstframe", targets: ["firstframe"]),
    .executable(name: "firstframe-live", targets: ["firstframe-live"]),
  ],
  dependencies: [
    bounded("https://github.com/jpsim/Yams", "6.2.2"),
    bounded("https://github.com/apple/swift-argument-parser", "1.8.2"),
    bounded("https://github.com/apple/swift-nio", "2.101.2"),
    bounded("https://github.com/apple/swift-nio-ssl", "2.37.6"),
    bounded("https://github.com/apple/swift-nio-http2", "1.46.0"),
    bounded("https://github.com/apple/swift-http-types", "1.8.0"),
    bounded("https://github.com/apple/swift-log", "1.16.0"),
    bounded(
      "https://github.com/hummingbird-project/hummingbird", "2.28.1", with: ["FullFoundation"]),
    bounded("https://github.com/HdrHistogram/hdrhistogram-swift", "0.2.0"),
  ],
  targets: [
    // L0
    house("MediaUnits", below: []),
    house("FeedPolicy", below: ["MediaUnits"]),
    house("CachePolicy", below: ["MediaUnits"]),
    house("MessageDelivery", below: ["MediaUnits"]),
    house("CallSignalling", below: ["MediaUnits"]),
    house("ServicePolicy", below: ["MediaUnits"]),
    house("UploadPolicy", below: ["MediaUnits"]),
    // L1
    house("SimulationKernel", below: ["MediaUnits"]),
    .systemLibrary(name: "CGSL", pkgConfig: "gsl", providers: [.apt(["libgsl-dev"])]),
    // Estimates with intervals, for programs and for pages: the part that needs no GSL.
    house("Estimation", below: ["MediaUnits"]),
    house("Statistics", below: ["CGSL", "MediaUnits", "Estimation"]),
    // One instruction that Swift has no name for, as a header.
    .systemLibrary(name: "CPrefetch"),
    // L2: the rooms of the models, and one name for all of them.
    house("ModelBasics", below: ["MediaUnits", "SimulationKernel"]),
    house("NetworkModels", below: ["MediaUnits", "SimulationKernel", "ModelBasics"]),
    house(
      "AudienceModel",
      below: ["MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "ModelBasics"]),
    house(
      "CacheModel",
      below: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "ModelBasics",
        "AudienceModel",
      ]),
    house(
      "FeedModel",
      below: [
        "CPrefetch", "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "ModelBasics",
        "NetworkModels", "AudienceModel", "CacheModel",
      ]),
    // A viewer for a browser's page: compiled to WebAssembly by .ci/browser.
    house(
      "FeedPage",
      below: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "CacheModel", "FeedModel",
      ]),
    // A feed's metrics, from what its replications measured to values and verdicts.
    house(
      "Metering",
      below: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "Estimation", "ModelBasics", "AudienceModel",
        "CacheModel", "FeedModel",
      ]),
    // A feed's configuration as bytes, and its replications on one thread.
    house(
      "FeedImage",
      below: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "Estimation",
        "NetworkModels",
        "AudienceModel", "CacheModel", "FeedModel",
      ]),
    // A feed in a page: compiled to WebAssembly by .ci/what-if.
    house(
      "WhatIf",
      below: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "Estimation", "CacheModel",
        "FeedModel", "Metering", "FeedImage",
      ]),
    house(
      "ServiceModel",
      below: [
        "MediaUnits", "FeedPolicy", "ServicePolicy", "UploadPolicy", "SimulationKernel",
        "ModelBasics", "AudienceModel",
      ]),
    house(
      "MessagingModel",
      below: ["MediaUnits", "MessageDelivery", "SimulationKernel", "ModelBasics"]),
    house(
      "CallsModel",
      below: [
        "MediaUnits", "CallSignalling", "SimulationKernel", "ModelBasics", "MessagingModel",
      ]),
    house("PeerModels", below: ["MediaUnits"]),
    house(
      "Models",
      below: [
        "ModelBasics", "NetworkModels", "AudienceModel", "CacheModel", "FeedModel", "ServiceModel",
        "MessagingModel", "CallsModel", "PeerModels",
      ]),
    // L3
    // Calls that begin processes, which Swift's module keeps away.
    .systemLibrary(name: "CProcess"),
    // Policies that are not the program's: processes and machines of others.
    house(
      "ForeignPolicies",
      below: [
        "CProcess", "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery", "CallSignalling",
        "SimulationKernel", "Models",
      ]),
    house(
      "Scenario",
      below: [
        "ForeignPolicies", "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery",
        "CallSignalling",
        "ServicePolicy", "UploadPolicy", "SimulationKernel", "Statistics", "Models", "Metering",
        .product(name: "Yams", package: "Yams"),
      ]),
    // Reads what a team has: exports, tables, logs.
    house("Telemetry", below: ["SimulationKernel", "Scenario"]),
    house(
      "Studies",
      below: [
        "ForeignPolicies", "MediaUnits", "FeedPolicy", "MessageDelivery", "CallSignalling",
        "SimulationKernel", "Statistics",
        "Models", "Scenario", "Metering", "FeedImage", "WhatIf",
      ]),
    // L4
    .target(
      name: "CCommit",
      cSettings: commit.isEmpty ? [] : [.define("FIRSTFRAME_COMMIT", to: commit)]),
    house(
      "Reports",
      below: [
        "CCommit", "ForeignPolicies", "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel",
        "Statistics",
        "Models", "Scenario", "Studies",
      ]),
    house("MachineDoctor", below: []),
    house(
      "LoadHarness",
      below: [
        "CProcess", "ForeignPolicies", "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery",
        "CallSignalling", "SimulationKernel", "Statistics", "Models", "Scenario", "Telemetry",
        "Studies",
      ] + sockets),
    // Tools of this repository; they stand beside the house.
    // C and C++ that firstframe-bench measures itself against; a release build makes it with -O2.
    .target(name: "BenchBaselines"),
    .executableTarget(
      name: "firstframe-bench",
      dependencies: [
        "BenchBaselines", "MediaUnits", "FeedPolicy", "CachePolicy",
        "SimulationKernel", "Statistics", "Models", "Scenario", "Telemetry",
      ],
      swiftSettings: strict),
    house("FidelityKit", below: ["MediaUnits", "SimulationKernel", "Models", "Scenario"]),
    .executableTarget(
      name: "firstframe-fidelity", dependencies: ["FidelityKit"], swiftSettings: strict),
    house("TidyKit", below: []),
    .executableTarget(name: "tidy", dependencies: ["TidyKit"], swiftSettings: strict),
    // L5
    // Settings of the C library's heap, which are macros and calls that Swift's module leaves out.
    .systemLibrary(name: "CHeap"),
    house(
      "FirstFrameKit",
      below: [
        "CHeap", "CProcess", "ForeignPolicies", "MediaUnits", "FeedPolicy", "CachePolicy",
        "MessageDelivery", "CallSignalling", "SimulationKernel", "Statistics", "Models",
        "Scenario", "Telemetry", "Studies", "Reports", "MachineDoctor",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "firstframe", dependencies: ["FirstFrameKit"], swiftSettings: strict),
    house(
      "FirstFrameLiveKit",
      below: [
        "ForeignPolicies", "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel",
        "Statistics", "Models", "Scenario", "Studies", "Reports", "LoadHarness",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ]),
    .executableTarget(
      name: "firstframe-live", dependencies: ["FirstFrameLiveKit"], swiftSettings: strict),
    tests("TidyTests", of: ["TidyKit"]),
    tests("MediaUnitsTests", of: ["MediaUnits"]),
    // What tests of policies share.
    .target(
      name: "PolicyTesting", dependencies: ["MediaUnits"], path: "Tests/PolicyTesting",
      swiftSettings: strict),
    // What `init --policy-package` writes, but for the name: a policy, and the program with it.
    .target(
      name: "SamplePolicies", dependencies: ["MediaUnits", "FeedPolicy"],
      path: "Tests/SamplePolicies", swiftSettings: strict),
    .executableTarget(
      name: "sample", dependencies: ["SamplePolicies", "FirstFrameKit", "FirstFrameLiveKit"],
      path: "Tests/sample",
      exclude: ["sample.yaml"], swiftSettings: strict),
    tests("SamplePoliciesTests", of: ["SamplePolicies", "FirstFrameKit"]),
    // Rules of the other deciders, and a program with them.
    .target(
      name: "SampleRules",
      dependencies: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery", "CallSignalling",
      ],
      path: "Tests/SampleRules", swiftSettings: strict),
    .executableTarget(
      name: "sample-rules", dependencies: ["SampleRules", "FirstFrameKit"],
      path: "Tests/sample-rules", swiftSettings: strict),
    // What only the longer run does.
    .target(name: "SlowTesting", path: "Tests/SlowTesting", swiftSettings: strict),
    // Looks for what no result may hold.
    .target(name: "PrivacyTesting", path: "Tests/PrivacyTesting", swiftSettings: strict),
    // What tests read from Tests/Reference.
    .target(name: "ReferenceFiles", path: "Tests/ReferenceFiles", swiftSettings: strict),
    tests("FeedPolicyTests", of: ["FeedPolicy", "MediaUnits", "PolicyTesting"]),
    tests("CachePolicyTests", of: ["CachePolicy", "MediaUnits", "PolicyTesting"]),
    tests(
      "MessageDeliveryTests", of: ["MessageDelivery", "MediaUnits", "PolicyTesting"],
      without: ["Tables"]),
    tests(
      "CallSignallingTests", of: ["CallSignalling", "MediaUnits", "PolicyTesting"],
      without: ["Tables"]),
    tests("ServicePolicyTests", of: ["ServicePolicy", "MediaUnits", "PolicyTesting"]),
    tests("UploadPolicyTests", of: ["UploadPolicy", "MediaUnits", "PolicyTesting"]),
    tests("StatisticsTests", of: ["Statistics", "SimulationKernel", "SlowTesting"]),
    tests(
      "SimulationKernelTests",
      of: ["SimulationKernel", "MediaUnits", "Statistics", "CachePolicy", "SlowTesting"]),
    tests(
      "ScenarioTests",
      of: [
        "Scenario", "MediaUnits", "Models", "SimulationKernel", "ReferenceFiles", "SlowTesting",
      ]),
    tests("TelemetryTests", of: ["Telemetry", "Scenario", "SlowTesting"]),
    tests(
      "NetworkModelsTests",
      of: ["NetworkModels", "ModelBasics", "MediaUnits", "SimulationKernel"]),
    tests(
      "CacheModelTests",
      of: [
        "CacheModel", "AudienceModel", "MediaUnits", "CachePolicy", "SimulationKernel",
        "ReferenceFiles", "SlowTesting",
      ]),
    tests(
      "FeedImageTests",
      of: [
        "FeedImage", "Metering", "WhatIf", "Models", "Scenario", "Statistics", "Studies",
        "SlowTesting",
      ]),
    tests(
      "FeedPageTests",
      of: [
        "FeedPage", "Models", "ModelBasics", "NetworkModels", "AudienceModel", "CacheModel",
        "FeedModel", "Scenario", "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel",
      ]),
    tests("PeerModelsTests", of: ["PeerModels", "SimulationKernel"]),
    tests(
      "ServiceModelTests",
      of: [
        "ServiceModel", "ModelBasics", "AudienceModel", "MediaUnits", "FeedPolicy",
        "ServicePolicy", "UploadPolicy", "SimulationKernel", "Statistics",
      ]),
    // Whole worlds, and what several rooms have.
    tests(
      "ModelsTests",
      of: [
        "Models", "ModelBasics", "NetworkModels", "AudienceModel", "CacheModel", "FeedModel",
        "ServiceModel", "MessagingModel", "CallsModel", "Scenario", "Statistics", "MediaUnits",
        "FeedPolicy", "CachePolicy", "MessageDelivery", "CallSignalling", "SimulationKernel",
        "ReferenceFiles", "SlowTesting",
      ]),
    tests(
      "StudiesTests",
      of: [
        "Studies", "Scenario", "ForeignPolicies", "Statistics", "Models", "MediaUnits",
        "FeedPolicy", "CachePolicy", "SampleRules",
        "MessageDelivery",
        "CallSignalling", "SimulationKernel", "ReferenceFiles", "CacheModel", "FeedModel",
        "FeedImage", "ServiceModel", "MessagingModel", "CallsModel", "SlowTesting",
      ], without: ["Fuzz/Corpus"]),
    tests(
      "ReportsTests",
      of: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "SimulationKernel", "Statistics", "Models",
        "FeedModel", "FeedImage", "Metering", "WhatIf", "Scenario", "Studies", "Reports",
        "SlowTesting",
      ]),
    tests("MachineDoctorTests", of: ["MachineDoctor"]),
    tests("FidelityTests", of: ["FidelityKit", "Models", "Scenario", "ReferenceFiles"]),
    tests(
      "LoadHarnessTests",
      of: [
        "LoadHarness", "MediaUnits", "FeedPolicy", "CachePolicy", "MessageDelivery",
        "CallSignalling", "SimulationKernel", "Models", "FeedModel", "Scenario", "Telemetry",
        "Studies", "PrivacyTesting",
      ] + sockets),
    tests(
      "CommandLineTests",
      of: ["firstframe", "FirstFrameKit", "PrivacyTesting", "ReferenceFiles", "SlowTesting"]),
  ]
)

// The readers under libFuzzer (.ci/fuzz-readers), which needs flags for every module and a build
// folder of its own: nothing else builds it.
if Context.environment["FIRSTFRAME_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "ReaderFuzz",
      dependencies: [
        "MediaUnits", "FeedPolicy", "CachePolicy", "Statistics", "Models", "Scenario", "Telemetry",
        "Studies", "Reports", "LoadHarness",
      ],
      path: "Tests/ReaderFuzz/Readers", swiftSettings: strict))
}

// `Models` only passes its rooms on, so its module stays as it is when one of them changes, and
// what names it alone would not be built again: it would keep the old layout of what it uses.
func names(_ target: Target) -> [String] {
  target.dependencies.compactMap {
    if case .byNameItem(let name, _) = $0 { name } else { nil }
  }
}
let rooms = package.targets.first { $0.name == "Models" }.map(names) ?? []
for target in package.targets where names(target).contains("Models") {
  let known = names(target)
  target.dependencies += rooms.filter { !known.contains($0) }.map { .byName(name: $0) }
}

// As `Statistics` passes `Estimation` on.
for target in package.targets
where names(target).contains("Statistics") && !names(target).contains("Estimation") {
  target.dependencies.append("Estimation")
}
