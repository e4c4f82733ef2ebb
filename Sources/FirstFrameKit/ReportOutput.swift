import Foundation
import Reports

/// Prints a report in brief, and with `full` all its sections after that.
///
/// - Parameters:
///   - folder: where the results are.
///   - brief: the brief form, for so many columns, with colours or without.
///   - sections: all sections, likewise.
/// - Throws: what `brief` throws; an `ExitCode` 73 when standard output takes no more.
func emitReport(
  full: Bool, folder: String, brief: (Int, Bool) throws -> String,
  sections: (Int, Bool) -> String
) throws {
  let color = Console.hasColor(STDOUT_FILENO)
  var text = try brief(Console.reportWidth(otherwise: BriefReport.mostColumns), color)
  if full {
    text += "\n" + sections(Console.reportWidth(otherwise: 100), color) + "results in \(folder)\n"
  }
  try emit(text)
}
