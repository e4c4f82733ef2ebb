extension SessionSpread: Codable {
  private enum CodingKeys: String, CodingKey {
    case views, waited, squares, products, sizes
  }

  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      views: try container.decode(Int64.self, forKey: .views),
      waited: try container.decode(Int64.self, forKey: .waited),
      squares: try container.decode(Int64.self, forKey: .squares),
      products: try container.decode(Int64.self, forKey: .products),
      sizes: try container.decode(Int64.self, forKey: .sizes))
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(views, forKey: .views)
    try container.encode(waited, forKey: .waited)
    try container.encode(squares, forKey: .squares)
    try container.encode(products, forKey: .products)
    try container.encode(sizes, forKey: .sizes)
  }
}

extension SessionSpread {
  /// Of several replications together; 1 where no sessions were counted.
  static func designEffect(_ records: [ReplicationRecord]) -> Double {
    designEffect(records.compactMap(\.sessions))
  }
}
