/// A policy that takes an event and appends commands (docs/ARCHITECTURE.md, policies).
///
/// Time comes in as `now`; timers go out as commands and come back as events; the host performs the
/// commands after `handle` returns, and nothing re-enters. Every event is legal in every state,
/// late, duplicated or reordered: a machine handles it or counts it.
public protocol PolicyMachine: Sendable {
  associatedtype Configuration: Sendable, Equatable
  associatedtype Event: Sendable
  associatedtype Command: Sendable, Equatable
  init(_ configuration: Configuration)
  mutating func handle(_ event: Event, at now: Instant, into commands: inout [Command])
}
