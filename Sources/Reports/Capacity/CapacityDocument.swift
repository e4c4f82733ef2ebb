import Foundation
import Scenario
import Statistics
import Studies

/// `capacity.json`: a function of the plan alone.
public enum CapacityDocument {
  public static func json(_ plan: CapacityPlan) -> JSONText {
    let measures = plan.measures
    return [
      "schema": 2, "kind": "capacity", "scenario": .string(plan.scenario.name),
      "digest": .string(digest(plan)), "seed": .integer(Int64(bitPattern: plan.scenario.seed)),
      "audience": .number(plan.audience),
      "edges": .integer(Int64(plan.scenario.configuration.cdn.edgesBehindShield)),
      "sessionsPerDay": .number(plan.sessionsPerDay),
      "viewsPerUserDay": .number(plan.viewsPerUserDay),
      "overToday": .array(plan.overToday.map { .string($0.name) }),
      "measured": [
        "replications": .integer(Int64(measures.replications)), "views": .integer(measures.views),
        "viewsPerSession": .number(measures.viewsPerSession),
        "bytesPerView": estimate(measures.bytesPerView),
        "requestsPerView": estimate(measures.requestsPerView),
        "pagesPerView": estimate(measures.pagesPerView),
        "secondsPerView": estimate(measures.secondsPerView),
        "postsPerView": measures.postsPerView.map { estimate($0) } ?? .null,
        "hitRatio": estimate(measures.hitRatio),
        "closedFormHitRatio": .number(plan.closedHitRatio),
      ],
      "observed": observed(plan), "levels": .array(plan.levels.map { level($0) }),
      "breaks": .array(
        plan.breaks.map { found in
          [
            "name": .string(found.name), "what": .string(found.what),
            "isSized": .boolean(found.isSized),
            "multiple": found.multiple.map { .number($0) } ?? .null,
            "interval": found.interval.map { [.number($0.lower), .number($0.upper)] } ?? .null,
            "closedForm": found.closedForm.map { .number($0) } ?? .null,
          ]
        }),
      "curve": .array(
        plan.curve.map { point in
          [
            "bytes": .number(point.bytes), "missRatio": .number(point.miss),
            "byteMissRatio": .number(point.byteMiss),
          ]
        }),
      "edgeBytes": plan.edgeBytes.isFinite ? .number(plan.edgeBytes) : .null,
      "targetHitRatio": .number(plan.assumptions.targetHitRatio),
      "prices": plan.prices.map { prices in
        [
          "name": .string(prices.name), "asOf": .string(prices.asOf),
          "currency": .string(prices.currency), "region": .string(plan.region?.name ?? ""),
          "services": .string(prices.services.source),
        ]
      } ?? .null,
      "assumptions": .array(
        plan.assumptions.rows.map { row in
          ["key": .string(row.key), "value": .string(row.value), "source": .string(row.source)]
        }),
    ]
  }

  /// Eight hexadecimal digits over everything that the plan depends on.
  public static func digest(_ plan: CapacityPlan) -> String {
    Digest.digest8(
      "\(plan.scenario.digest) \(plan.assumptions.digest) \(plan.audience) "
        + "\(plan.measures.replications) \(plan.prices?.name ?? "") \(plan.prices?.asOf ?? "") "
        + "\(plan.region?.name ?? "")"
        + (plan.observation.map { " \($0.audience.digest)" } ?? ""))
  }

  private static func estimate(_ estimate: Estimate) -> JSONText {
    [
      "value": .number(estimate.value),
      "interval": [.number(estimate.interval.lower), .number(estimate.interval.upper)],
      "n": .integer(Int64(estimate.n)),
    ]
  }

  private static func level(_ level: CapacityPlan.Level) -> JSONText {
    [
      "factor": .number(level.factor), "audience": .number(level.audience),
      "viewsPerDay": .number(level.viewsPerDay), "peakViewsPerSecond": .number(level.peakViews),
      "edge": tier(level.edgeRate, level.edgeRequests),
      "behindEdges": tier(level.fillRate, level.fillRequests),
      "origin": tier(level.originRate, level.originRequests),
      "hitRatio": .number(level.hitRatio),
      "edgeBytesForTarget": level.edgeBytes.map { .number($0) } ?? .null,
      "pools": .array(
        level.pools.map { pool in
          [
            "name": .string(pool.name), "requestsPerSecond": .number(pool.rate),
            "concurrency": pool.servers.map { .integer(Int64($0)) } ?? .null,
            "instances": pool.instances.map { .integer(Int64($0)) } ?? .null,
            "limitSeconds": .number(pool.limit), "lateShare": .number(pool.lateShare),
            "service": .string(pool.law),
          ]
        }),
      "relay": level.relay.map { relay in
        [
          "calls": .number(relay.calls), "ports": .integer(Int64(relay.ports)),
          "instances": .integer(Int64(relay.instances)),
        ]
      } ?? .null,
      "costs": .array(
        level.costs.map { cost in
          [
            "name": .string(cost.name), "quantity": .string(cost.quantity),
            "amount": .number(cost.amount),
          ]
        }),
      "monthlyCost": .number(level.monthlyCost),
    ]
  }

  private static func tier(_ bits: Double, _ requests: Double) -> JSONText {
    ["gbps": .number(bits / 1e9), "requestsPerSecond": .number(requests)]
  }
}
