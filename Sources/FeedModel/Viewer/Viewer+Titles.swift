import AudienceModel
import CachePolicy
import FeedPolicy
import MediaUnits
import ModelBasics
import SimulationKernel

/// Which title an item of the feed is.
extension Viewer {
  /// An item's title: the one that a real feed's page has listed, else drawn by popularity, not one
  /// that the session remembers, or a new one.
  ///
  /// - Returns: the title, and the one that was drawn by popularity if there was a draw.
  func chooseTitle(
    _ item: UInt32, at now: Instant, _ context: inout ViewerContext
  ) -> (title: TitleID, drawn: UInt32?) {
    if Int(item) < pages.listed.count {
      return (TitleID(pages.listed[Int(item)]), nil)
    }
    let entity = UInt64(session) << 32 | UInt64(item)
    if hasClient, let chosen = chooseClientTitle(item, entity: entity, &context) {
      return (chosen, nil)
    }
    var title: UInt32 = 0
    for attempt in 0..<UInt32(16) {
      title = catalogue.pointee.popularity.index(
        streams.bits(.feedTitle, entity: entity, draw: attempt))
      if setting.pointee.titleStride > 1 { title = setting.pointee.sampled(title) }
      if !titles.isRecent(title) { break }
    }
    // A new title takes the place of the drawn one: the other items stay as they were.
    return (chooseNewTitle(entity, at: now) ?? TitleID(title), title)
  }

  /// The title of an item whose page says so: Trending is the same for everybody and in order of
  /// popularity; exploration items come from the tail. Nil for the usual choice.
  private func chooseClientTitle(
    _ item: UInt32, entity: UInt64, _ context: inout ViewerContext
  ) -> TitleID? {
    let size = policy.pointee.pageSize
    let page = item / size
    let titles = catalogue.pointee.titles
    context.measures.clientSide.items += 1
    if clientState.pointee.trending >> UInt64(page & 63) & 1 == 1 {
      return TitleID(
        setting.pointee.titleStride > 1 ? setting.pointee.sampled(item % titles) : item % titles)
    }
    guard let mixer = clientSettings.pointee.exploration,
      mixer.explores(place: Int(item % size), pageSize: Int(size), page: page)
    else { return nil }
    context.measures.clientSide.explorationItems += 1
    let first = clientSettings.pointee.explorationFrom * Double(titles)
    let u = streams.uniform(.exploration, entity: entity)
    let title = UInt32(first + u * (Double(titles) - first))
    let chosen = title < titles ? title : titles - 1
    return TitleID(setting.pointee.titleStride > 1 ? setting.pointee.sampled(chosen) : chosen)
  }

  /// The new title that an item shows instead of one of the catalogue, if any; a session sees it
  /// once.
  private func chooseNewTitle(_ entity: UInt64, at now: Instant) -> TitleID? {
    let time = setting.pointee.measuredTime(now)
    for crowd in 0..<audience.pointee.crowds.count
    where audience.pointee.crowds[crowd].newTitleShare > 0
      && audience.pointee.crowds[crowd].isThere(at: time)
    {
      let title = numbers.firstOfCrowds + UInt32(crowd)
      let u = streams.uniform(.crowdTitle, entity: entity, draw: UInt32(crowd))
      if u < audience.pointee.crowds[crowd].newTitleShare
        && !titles.contains(title)
      {
        return TitleID(title)
      }
    }
    guard let arrivals = catalogue.pointee.newTitles else { return nil }
    if streams.uniform(.newTitle, entity: entity) >= arrivals.share { return nil }
    for attempt in 1...UInt32(16) {
      let u = streams.uniform(.newTitle, entity: entity, draw: attempt)
      let place = arrivals.place(at: now, age: u)
      let title = numbers.firstArrival + place - place % setting.pointee.titleStride
      if !titles.contains(title) { return TitleID(title) }
    }
    return nil
  }
}
