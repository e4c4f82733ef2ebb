import MediaUnits
import SimulationKernel
import Statistics
import Testing
import UploadPolicy

@testable import ServiceModel

/// The pipeline with the laws of parameters sections 8 and 12.
func pipeline(uploads: Double = 0.5, window: Double = 600) throws -> PipelineConfiguration {
  let wait = QuantileTable(constant: 0.4)
  return PipelineConfiguration(
    warmUp: .seconds(60), window: TimeSpan(seconds: window),
    uploader: UploaderSettings(
      uploads: steady(uploads, 60 + window),
      duration: try table(.lognormal(median: 20, sigma: 0.7)),
      sourceRate: QuantileTable(constant: 6e6),
      uplink: try table(.lognormal(median: 8e6, sigma: 0.5))),
    serviceTime: QuantileTable(constant: 0.02),
    busDelay: try table(.lognormal(median: 0.8, sigma: 0.6)),
    duplicateDelay: QuantileTable(constant: 20),
    stages: [
      StageSettings(servers: 50, fixed: wait),
      StageSettings(servers: 40, fixed: QuantileTable(constant: 15)),
      StageSettings(
        servers: 100, fixed: QuantileTable(constant: 8), perSecond: QuantileTable(constant: 0.5)),
      StageSettings(servers: 50, fixed: QuantileTable(constant: 5)),
    ],
    transition: QuantileTable(constant: 0.04),
    writeTime: try table(.lognormal(median: 0.03, sigma: 1)),
    indexLag: try table(.lognormal(median: 0.03, sigma: 1)))
}

extension PipelineConfiguration {
  func run(seed: UInt64 = 3, replication: UInt16 = 0) throws -> PipelineMeasures {
    try PipelineWorld.run(self, seed: seed, replication: replication).measures
  }
}

@Suite struct PipelineWorldTests {
  /// Covers: SIG-011, SIG-018, SIG-055.
  @Test func `what is uploaded is published, with one storyboard each and every stage in order`()
    throws
  {
    let run = try pipeline().run()
    #expect(run.uploads > 200 && run.uploaded == run.uploads)
    #expect(run.executions == run.uploads && run.published == run.uploads)
    #expect(run.orderFaults == 0 && run.resentBytes == 0)
    #expect(run.waits.allSatisfy { $0.count == run.uploads })
  }

  @Test func `a publication takes what its chain adds up to`() throws {
    var configuration = try pipeline(uploads: 0.02, window: 4_000)
    configuration.uploader.duration = QuantileTable(constant: 30)
    configuration.busDelay = QuantileTable(constant: 1)
    configuration.writeTime = QuantileTable(constant: 0.05)
    configuration.indexLag = QuantileTable(constant: 10)
    let run = try configuration.run()
    // Bus, four steps, Inspect, Moderate, Transcode, Storyboard, and three writes: the cache
    // lists it before the index does.
    let expected = 1 + 4 * 0.04 + 0.4 + 15 + 8 + 15 + 5 + 3 * 0.05
    #expect(run.publishTimes.count > 30)
    #expect(run.publishTimes.allSatisfy { abs(Double($0) / 1e9 - expected) < 1e-6 })
  }

  @Test func `an upload takes its bytes over its link and its round trips`() throws {
    var configuration = try pipeline(uploads: 0.02, window: 4_000)
    configuration.uploader.duration = QuantileTable(constant: 30)
    configuration.uploader.uplink = QuantileTable(constant: 5e6)
    let run = try configuration.run()
    // 22.5 MB at 5 Mbit/s; authorise, create and complete with 40 + 20 ms each, and the part's
    // round trips, of which those that overlap cost nothing: five parts, one round trip at least.
    let bytes = 30 * 6e6 / 5e6
    #expect(
      run.uploadTimes[0].allSatisfy { time in
        let rest = Double(time) / 1e9 - bytes
        return rest > 3 * 0.06 && rest < 3 * 0.06 + 5 * 0.04 + 1e-3
      })
  }

  /// Covers: SIG-014, SIG-016.
  @Test func `events that come twice start one execution and one transcode`() throws {
    var configuration = try pipeline()
    configuration.duplicateShare = 0.5
    let run = try configuration.run()
    #expect(run.duplicateEvents > 100 && run.executions == run.uploads)
    #expect(run.doubledExecutions == 0 && run.doubledTranscodes == 0)
    configuration.ledger.isNamed = false
    let bad = try configuration.run()
    #expect(bad.doubledExecutions > 100 && bad.doubledTranscodes > 100)
  }

  /// Covers: SIG-013, SIG-014.
  @Test func `a loss of the network sends at most its parts again, and begins nothing anew`() throws
  {
    var configuration = try pipeline()
    configuration.uploader.outageShare = 0.5
    configuration.uploader.answerLoss = 0.1
    let run = try configuration.run()
    #expect(run.outages > 100 && run.uploaded == run.uploads && run.overSent == 0)
    #expect(run.resentBytes > 0)
    #expect(run.resentBytes <= Int64(run.outages) * 4 * (5 << 20))
    #expect(run.doubledExecutions == 0 && run.executions == run.uploads)
    configuration.uploader.client.resumes = false
    #expect(try configuration.run().overSent > 0)
  }

  /// Covers: SIG-014.
  @Test func `without the key a lost answer makes a second upload`() throws {
    var configuration = try pipeline()
    configuration.uploader.answerLoss = 0.1
    configuration.service.isIdempotent = false
    configuration.ledger.isNamed = false
    #expect(try configuration.run().doubledExecutions > 0)
  }

  /// Covers: SIG-073.
  @Test func `a start whose answer is lost is one job with a token and two without`() throws {
    var configuration = try pipeline()
    configuration.submitLoss = 0.2
    configuration.submitTimeout = .seconds(5)
    let run = try configuration.run()
    #expect(run.doubledTranscodes == 0 && run.published == run.uploads)
    configuration.hasTokens = false
    #expect(try configuration.run().doubledTranscodes > 20)
  }

  /// Covers: SIG-053, SIG-054.
  @Test func `every rejection comes out, and none of the inspection's costs a transcode`() throws {
    var configuration = try pipeline()
    configuration.uploader.unsupportedShare = 0.1
    configuration.flagShare = 0.1
    configuration.machine.rules = InspectionRules(
      longest: .seconds(40), largest: .megabytes(28))
    configuration.stages[2].failureShare = 0.3
    configuration.stages[2].pricePerMinute = 1
    let run = try configuration.run()
    #expect(run.rejections.allSatisfy { $0 > 0 }, "\(run.rejections)")
    #expect(run.lateRejections == 0)
    let ended = run.published + run.rejections.reduce(0, +) + run.failures
    #expect(ended == run.uploads)
  }

  /// Covers: SIG-055.
  @Test func `moderation beside transcoding is faster and transcodes flagged files for nothing`()
    throws
  {
    var configuration = try pipeline()
    configuration.flagShare = 0.1
    configuration.stages[2].pricePerMinute = 0.01
    let serial = try configuration.run()
    configuration.machine.isParallel = true
    let parallel = try configuration.run()
    #expect(serial.wastedSeconds == 0 && parallel.wastedSeconds > 0)
    #expect(parallel.cost[2] > serial.cost[2])
    func median(_ values: [Int64]) -> Int64 { values.sorted()[values.count / 2] }
    #expect(median(parallel.publishTimes) < median(serial.publishTimes) - 10_000_000_000)
  }

  /// Covers: SIG-019, SIG-020, SIG-060.
  @Test func `no feed has a video before its manifest, but in the wrong order`() throws {
    var configuration = try pipeline(uploads: 2)
    configuration.readRate = 20
    for order in PublishOrder.all {
      configuration.machine.order = order
      let run = try configuration.run()
      #expect(run.listings == run.uploads)
      #expect((run.earlyListings == 0) == order.isSafe)
      #expect((run.notFound == 0) == order.isSafe, "\(order)")
    }
    configuration.machine.order = .concurrent
    #expect(try configuration.run().earlyListings > 0)
  }

  /// Covers: SIG-069.
  @Test func `who watches a version keeps it when the next one is published`() throws {
    var configuration = try pipeline()
    configuration.uploader.republishShare = 0.5
    configuration.uploader.republishAfter = .seconds(1)
    configuration.viewLength = .minutes(10)
    let run = try configuration.run()
    #expect(run.published > run.uploads / 2 && run.goneVersions == 0)
    configuration.deletesOld = true
    #expect(try configuration.run().goneVersions > 0)
  }

  /// Covers: SIG-056.
  @Test func `an edge near the client is worth it for far clients alone`() throws {
    var configuration = try pipeline()
    configuration.uploader.farShare = 0.5
    configuration.uploader.loss = 0.001
    let plain = try configuration.run()
    configuration.uploader.isAccelerated = true
    let fast = try configuration.run()
    func median(_ values: [Int64]) -> Int64 { values.sorted()[values.count / 2] }
    #expect(fast.uploadTimes[0] == plain.uploadTimes[0])
    #expect(median(fast.uploadTimes[1]) < median(plain.uploadTimes[1]) * 9 / 10)
  }

  @Test func `a seed is a run, and shuffled ties change no count`() throws {
    let configuration = try pipeline(window: 200)
    let first = try PipelineWorld.run(configuration, seed: 5, replication: 1)
    let second = try PipelineWorld.run(configuration, seed: 5, replication: 1)
    #expect(first.fingerprint == second.fingerprint && first.measures == second.measures)
    let shuffled = try PipelineWorld.run(configuration, seed: 5, replication: 1, shuffleTies: 3)
    #expect(shuffled.measures.published == first.measures.published)
  }
}
