import MediaUnits
import ModelBasics
import SimulationKernel
import Testing

@testable import ServiceModel

/// What a run that is stopped says of its last event: as its own world calls it.
@Suite struct EventNameTests {
  /// The error of a run that its limit of events stops.
  private func stopped(_ body: () throws -> Void) throws -> SimulationError {
    let error = try #require(throws: SimulationError.self) { try body() }
    #expect(error.code == .eventLimit)
    return error
  }

  private var station: StationConfiguration {
    StationConfiguration(
      arrivals: steady(10, 10), service: QuantileTable(constant: 0.1), servers: 1)
  }

  @Test func `of services, none of which is one of the feed's`() throws {
    let configuration = try services()
    let error = try stopped {
      var simulation = Simulation(ServicesWorld(configuration, seed: 1, replication: 0))
      ServicesWorld.start(&simulation)
      _ = try simulation.run(eventLimit: 50)
    }
    let event = "\(error.event)"
    #expect(event == ServicesTag(rawValue: error.tag).map { "\($0.name)" })
    #expect(!FeedTag.allCases.contains { "\($0.name)" == event })
  }

  @Test func `of a station`() throws {
    let error = try stopped {
      var simulation = Simulation(StationWorld(station, seed: 1, replication: 0))
      simulation.schedule(.arrive(0), at: .zero, for: 0, source: 0)
      _ = try simulation.run(eventLimit: 0)
    }
    #expect("\(error.event)" == "job arrives")
    #expect(error.tag == StationTag.arrive.rawValue)
  }

  @Test func `of the pipeline`() throws {
    let configuration = try pipeline()
    let error = try stopped {
      var simulation = Simulation(PipelineWorld(configuration, seed: 1, replication: 0))
      PipelineWorld.start(&simulation)
      _ = try simulation.run(eventLimit: 0)
    }
    let event = "\(error.event)"
    #expect(event == "upload begins")
    #expect(event == PipelineTag(rawValue: error.tag).map { "\($0.name)" })
  }

  @Test func `errors with other events are not equal`() throws {
    func error(_ event: StationEvent) throws -> SimulationError {
      try stopped {
        var simulation = Simulation(StationWorld(station, seed: 1, replication: 0))
        simulation.schedule(event, at: .zero, for: 0, source: 0)
        _ = try simulation.run(eventLimit: 0)
      }
    }
    #expect(try error(.arrive(0)) == error(.arrive(0)))
    #expect(try error(.arrive(0)) != error(.leave(0)))
  }
}
