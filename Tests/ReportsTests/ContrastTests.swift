import Foundation
import Testing

@testable import Reports

@Suite struct ContrastTests {
  /// Relative luminance of `#rgb` or `#rrggbb` (WCAG 2.2, definitions).
  private func luminance(_ color: Substring) throws -> Double {
    let digits = color.count == 3 ? color.flatMap { [$0, $0] } : Array(color)
    try #require(digits.count == 6)
    let parts = try (0..<3).map { index -> Double in
      let byte = try #require(Int(String(digits[(2 * index)..<(2 * index + 2)]), radix: 16))
      let share = Double(byte) / 255
      return share <= 0.04045 ? share / 12.92 : pow((share + 0.055) / 1.055, 2.4)
    }
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
  }

  private func contrast(_ a: Substring, _ b: Substring) throws -> Double {
    let (first, second) = (try luminance(a), try luminance(b))
    return (max(first, second) + 0.05) / (min(first, second) + 0.05)
  }

  /// The colour after `name` in the style sheet.
  private func color(_ name: String, in css: some StringProtocol) throws -> Substring {
    let range = try #require(css.range(of: name + "#"))
    return Substring(css[range.upperBound...].prefix { $0.isHexDigit })
  }

  @Test func `texts of a report have a contrast of 4.5 by day and by night`() throws {
    let themes = PageStyle.css.components(separatedBy: ":root{").dropFirst()
    #expect(themes.count == 2)
    for theme in themes {
      for ground in ["--paper:", "--soft:"] {
        for ink in ["--ink:", "--faint:", "--link:", "--good:", "--bad:", "--warn:", "--odd:"] {
          let value = try contrast(color(ink, in: theme), color(ground, in: theme))
          #expect(value >= 4.5, "\(ink) on \(ground)")
        }
      }
    }
  }

  @Test func `charts have a contrast of 4.5 for texts and 3 for shapes by day and by night`() throws
  {
    let themes = ChartStyle.css.components(separatedBy: "@media")
    #expect(themes.count == 2)
    for theme in themes {
      let paper = try color(".paper{fill:", in: theme)
      for ink in [".ff-chart{fill:", ".faint{fill:"] {
        #expect(try contrast(color(ink, in: theme), paper) >= 4.5)
      }
      for shape in (0..<ChartStyle.seriesCount).map({ ".f\($0){fill:" }) + [".limit{stroke:"] {
        #expect(try contrast(color(shape, in: theme), paper) >= 3, "\(shape)")
      }
    }
    for step in 0..<ChartStyle.heatSteps {
      let ground = try color(".h\(step){fill:", in: themes[0])
      #expect(try contrast(color(".t\(step){fill:", in: themes[0]), ground) >= 4.5, "\(step)")
    }
  }
}
