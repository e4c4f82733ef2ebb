/// The shortest text that reads back as `value`, without a trailing `.0`.
func format(_ value: Double) -> String { StatisticsError.short(value) }

/// Refuses a parameter that is not a finite number.
func requireFinite(_ value: Double, _ name: String) throws(StatisticsError) {
  if !value.isFinite { throw .parameter("a finite \(name)", got: value) }
}

/// Refuses a parameter that is not a finite number above 0.
func requirePositive(_ value: Double, _ name: String) throws(StatisticsError) {
  if !(value > 0 && value.isFinite) { throw .parameter("a finite \(name) above 0", got: value) }
}
