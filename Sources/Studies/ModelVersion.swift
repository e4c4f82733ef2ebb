/// Which predictions a program makes: numbers of two versions cannot be compared.
public enum ModelVersion {
  /// Raised with every change that moves a predicted number (docs/decisions/0023). 1: up to the
  /// frame that is ready at once; 2: a ready frame costs its
  /// presentation, readiness and waiting are told apart, percentiles are pooled.
  public static let current = 2
}
