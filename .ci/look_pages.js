// What .ci/look_pages.py asks of a page; an object of functions, evaluated in the page.
({
  name(element) {
    const id = element.id ? '#' + element.id : '';
    const kind = [...element.classList].map(word => '.' + word).join('');
    const words = element.getAttribute('aria-label') ?? element.innerText ?? element.textContent;
    const text = words.trim().slice(0, 40);
    return `<${element.localName}${id}${kind}> "${text.replace(/\s+/g, ' ')}"`;
  },

  shown(element) {
    return element.checkVisibility({visibilityProperty: true, opacityProperty: true});
  },

  unfold() {
    for (const details of document.querySelectorAll('details')) details.open = true;
  },

  scrolls(element) {
    const style = getComputedStyle(element);
    const wide = /auto|scroll/.test(style.overflowX) &&
      element.scrollWidth > element.clientWidth + 1;
    const high = /auto|scroll/.test(style.overflowY) &&
      element.scrollHeight > element.clientHeight + 1;
    return wide || high;
  },

  // What makes the page wider than the screen: the elements that end furthest to the right, and are
  // in no box that scrolls or cuts.
  overflow(width) {
    const page = document.documentElement.scrollWidth;
    if (page <= width) return [];
    let furthest = null, end = width;
    for (const element of document.body.querySelectorAll('*')) {
      let box = element.parentElement;
      while (box && getComputedStyle(box).overflowX === 'visible') box = box.parentElement;
      const right = element.getBoundingClientRect().right + scrollX;
      if (!box && right > end + 0.5) [furthest, end] = [element, right];
    }
    return [`the page is ${page} px wide, by ${furthest ? this.name(furthest) : 'its margins'}`];
  },

  // Rules of axe that elements break. A gradient behind text, which axe cannot see through, is
  // taken away: ours only shade the edge of a box that scrolls.
  async axe() {
    const plain = document.createElement('style');
    plain.textContent = '*{background-image:none!important}';
    document.head.append(plain);
    const found = await axe.run(document, {resultTypes: ['violations', 'incomplete']});
    plain.remove();
    const pale = this.pale(found.incomplete);
    const rows = (list, impacts) => list
      .filter(rule => impacts.includes(rule.impact))
      .map(rule => ({
        rule: rule.id, impact: rule.impact, count: rule.nodes.length,
        first: rule.nodes[0].target.flat().join(' '),
        why: rule.nodes[0].failureSummary.split('\n').slice(1, 2).join('').trim(),
      }));
    return {
      violations: rows(found.violations, ['serious', 'critical']),
      minor: rows(found.violations, ['minor', 'moderate']),
      undecided: rows(
        found.incomplete.filter(rule => rule.id !== 'color-contrast'), ['serious', 'critical']),
      pale,
    };
  },

  // Of texts whose contrast axe leaves undecided, such as those over a chart's shapes or under what
  // sticks while the page scrolls: those that are too pale on the ground they are meant for.
  pale(incomplete) {
    const nodes = incomplete
      .filter(rule => rule.id === 'color-contrast').flatMap(rule => rule.nodes);
    const parts = colour => {
      const numbers = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      return {colour: numbers.slice(0, 3), alpha: numbers[3] ?? 1};
    };
    const light = colour => {
      const [red, green, blue] = colour.map(
        part => part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const found = [];
    for (const node of nodes) {
      const element = document.querySelector(node.target.flat().join(' '));
      const style = getComputedStyle(element);
      let box = element;
      while (box && parts(getComputedStyle(box).backgroundColor).alpha < 1) box = box.parentElement;
      const dark = matchMedia('(prefers-color-scheme: dark)').matches &&
        getComputedStyle(document.documentElement).colorScheme.includes('dark');
      const ground = box ? parts(getComputedStyle(box).backgroundColor).colour :
        dark ? [18, 18, 18] : [255, 255, 255];
      const ink = parts(element.closest('svg') ? style.fill : style.color);
      const colour = ink.colour.map((part, at) => part * ink.alpha + ground[at] * (1 - ink.alpha));
      const [low, high] = [light(colour), light(ground)].sort((one, other) => one - other);
      const ratio = (high + 0.05) / (low + 0.05);
      const size = parseFloat(style.fontSize), bold = Number(style.fontWeight) >= 700;
      if (ratio < (size >= 24 || (bold && size >= 18.66) ? 3 : 4.5))
        found.push(`color-contrast ${ratio.toFixed(2)}: ${this.name(element)}`);
    }
    return {count: nodes.length, found};
  },

  // Numbers what the keyboard has to reach: links, controls, and boxes that scroll without one of
  // these inside.
  stops() {
    const controls = 'a[href],area[href],summary,button,input,select,textarea';
    const stops = [...document.querySelectorAll('*')].filter(element => {
      if (!this.shown(element)) return false;
      if (element.matches(controls) || element.tabIndex === 0) return true;
      return element !== document.documentElement && element !== document.body &&
        this.scrolls(element) && !element.querySelector(controls);
    });
    window.keyboardStops = stops;
    document.activeElement.blur();
    scrollTo(0, 0);
    return stops.map(element => this.name(element));
  },

  // Which of them has the focus, and what is wrong with how it shows it.
  async focus() {
    // What has the focus is scrolled to with the next frame.
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
    const element = document.activeElement;
    const number = window.keyboardStops.indexOf(element);
    const wrong = [];
    if (element !== document.body) {
      const style = getComputedStyle(element);
      const outline = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 1;
      if (!outline && style.boxShadow === 'none') wrong.push('no outline shows the focus');
      let seen = false;
      for (const box of element.getClientRects()) {
        // The part on the screen: more than a sliver, 24 pixels or all of what is smaller.
        const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
        const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
        if (right - left < Math.min(24, box.width) - 1 ||
            bottom - top < Math.min(24, box.height) - 1) continue;
        for (const x of [0.1, 0.5, 0.9]) for (const y of [0.1, 0.5, 0.9]) {
          const hit = document.elementFromPoint(
            left + x * (right - left), top + y * (bottom - top));
          seen ||= hit !== null && element.contains(hit);
        }
      }
      if (!seen) wrong.push('out of sight or covered with the focus');
    }
    return {number, body: element === document.body, name: this.name(element), wrong};
  },

  // Boxes that paper would cut: what they scroll to or hide has no place there.
  cutOnPaper() {
    const found = [];
    for (const element of document.querySelectorAll('body *')) {
      const style = getComputedStyle(element);
      if (!this.shown(element) || element.closest('svg')) continue;
      const cut = (flow, whole, part) => flow !== 'visible' && part > 0 && whole > part + 1;
      if (cut(style.overflowX, element.scrollWidth, element.clientWidth) ||
          cut(style.overflowY, element.scrollHeight, element.clientHeight)) {
        found.push(this.name(element));
      }
    }
    return found;
  },

  // Texts that are shown, each without its blanks.
  texts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) {
      const node = walker.currentNode, parent = node.parentElement;
      if (parent.closest('style,script,svg title,svg desc') || !this.shown(parent)) continue;
      const text = node.data.replace(/\s+/g, '');
      if (text) texts.push(text);
    }
    return texts;
  },

  // How each shape of a chart is filled and drawn: none, black or a colour. Black text is as good.
  paints() {
    const kind = paint => {
      const [red, green, blue, alpha = 1] = paint.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0, 0];
      return alpha === 0 ? 'none' : Math.max(red, green, blue) < 48 ? 'black' : 'colour';
    };
    const shapes = 'svg :is(rect,path,polygon,circle,ellipse,polyline,line):not(defs *)';
    return [...document.querySelectorAll(shapes)].map(shape => {
      const style = getComputedStyle(shape);
      return {
        chart: this.name(shape.closest('svg')), shape: this.name(shape),
        fill: shape.localName === 'line' ? 'none' : kind(style.fill), stroke: kind(style.stroke),
      };
    });
  },
})
