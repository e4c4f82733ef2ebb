import MediaUnits
import Models
import Scenario
import SimulationKernel

extension PipelinePlan {
  /// One replication.
  public func replication(
    seed: UInt64, replication: UInt16, shuffleTies: UInt64?
  ) throws(SimulationError) -> WorldRun {
    let run = try PipelineWorld.run(
      configuration, seed: seed, replication: replication, shuffleTies: shuffleTies)
    let found = run.measures
    let times =
      [found.uploadTimes[0], found.uploadTimes[1], found.publishTimes] + found.waits
      + found.stageTimes + [found.indexLags]
    return WorldRun(
      samples: times.flatMap { MetricSample.times($0) } + uploads(found) + outcomes(found)
        + publishing(found) + cost(found), events: run.events, end: run.end,
      fingerprint: run.fingerprint)
  }

  private func uploads(_ found: PipelineMeasures) -> [MetricSample] {
    let count = Int64(found.uploads)
    return [
      .share(found.givenUp, of: found.uploads),
      .quotient(
        Double(found.resentBytes), over: Double(found.fileBytes), samples: Int64(found.uploaded)),
      .number(Double(found.overSent), samples: Int64(found.uploaded)),
      .share(found.duplicateEvents, of: found.busEvents),
      .number(Double(found.doubledExecutions), samples: count),
      .number(Double(found.doubledTranscodes), samples: count),
    ]
  }

  private func outcomes(_ found: PipelineMeasures) -> [MetricSample] {
    var samples: [MetricSample] = [
      .share(found.published, of: found.executions), .share(found.failures, of: found.executions),
    ]
    for count in found.rejections {
      samples.append(MetricSample.share(count, of: found.executions))
    }
    samples += [
      MetricSample.number(
        Double(found.lateRejections), samples: Int64(found.executions)),
      MetricSample.quotient(
        found.wastedSeconds, over: Double(found.published), samples: Int64(found.published)),
      MetricSample.number(Double(found.orderFaults), samples: Int64(found.published)),
    ]
    return samples
  }

  private func publishing(_ found: PipelineMeasures) -> [MetricSample] {
    [
      .share(found.earlyListings, of: found.listings),
      .number(Double(found.notFound), samples: Int64(found.reads)),
      .share(found.notFound, of: found.reads),
      .number(Double(found.goneVersions), samples: Int64(found.reads)),
    ]
  }

  private func cost(_ found: PipelineMeasures) -> [MetricSample] {
    (found.cost + [found.totalCost]).map {
      MetricSample.quotient($0, over: Double(found.published), samples: Int64(found.published))
    }
  }
}
