/// The style sheet of a report: no fonts or pictures from elsewhere, day and night, narrow screens
/// and paper. Pairs of text and ground keep a contrast of at least 4.5 (WCAG 2.2, 1.4.3).
enum PageStyle {
  static let css =
    """
    :root{color-scheme:light dark;--ink:#16202b;--faint:#4a5866;--paper:#fff;--soft:#f3f6f9;\
    --shade:#16202b40;\
    --rule:#d3dae2;--link:#00558f;--good:#0b6b3a;--bad:#a81e14;--warn:#7d5200;--odd:#7a2f8a}
    @media screen and (prefers-color-scheme:dark){:root{--ink:#e8edf2;--faint:#b4bfca;\
    --paper:#141a21;--soft:#1d252e;--shade:#000;\
    --rule:#3a4652;--link:#8cc4ff;--good:#6fdc9f;--bad:#ff9a90;\
    --warn:#ffc35c;--odd:#e3a8f2}}
    *{box-sizing:border-box}
    html{scroll-padding-top:3.5rem}
    body{margin:0;color:var(--ink);background:var(--paper);font:16px/1.5 system-ui,-apple-system,\
    "Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-variant-numeric:tabular-nums}
    a{color:var(--link)}
    a:focus-visible,summary:focus-visible,.scroll:focus-visible{outline:3px solid var(--link);\
    outline-offset:2px}
    .skip{position:absolute;left:-100vw;top:0;padding:.5rem 1rem;background:var(--paper);z-index:9}
    .skip:focus{left:0}
    header,main,footer{max-width:74rem;margin:0 auto;padding:0 1rem}
    h1{font-size:1.5rem;line-height:1.25;margin:1.5rem 0 .25rem;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin:0 0 .75rem}
    h3{font-size:1rem;margin:1.5rem 0 .5rem}
    p,ul,ol,dl{margin:.5rem 0;max-width:72ch}
    ul,ol{padding-left:1.25rem}
    li{margin:.25rem 0}
    .faint,caption,figcaption small{color:var(--faint)}
    nav{scroll-padding-inline:3rem;position:sticky;top:0;z-index:2;background:var(--paper);\
    border-bottom:1px solid var(--rule);overflow-x:auto}
    nav ul{display:flex;gap:.25rem;list-style:none;max-width:74rem;margin:0 auto;\
    padding:.25rem 1rem}
    @media (min-width:60rem){nav ul{flex-wrap:wrap}}
    nav a{display:block;padding:.35rem .5rem;white-space:nowrap;text-decoration:none}
    nav a:hover{text-decoration:underline}
    section{margin:2rem 0 2.5rem;padding-top:1.25rem;border-top:1px solid var(--rule)}
    .banner{border:2px solid;border-left-width:.75rem;border-radius:.4rem;padding:.75rem 1rem;\
    margin:1rem 0;background:var(--soft)}
    .banner p{margin:.25rem 0}
    .banner .word{font-size:1.25rem;font-weight:700}
    .banner .says{color:var(--ink);font-size:1.1rem}
    .pass{color:var(--good)}.fail{color:var(--bad)}.inconclusive{color:var(--warn)}\
    .invalid{color:var(--odd)}.not-run{color:var(--faint)}
    .verdict{font-weight:600;white-space:nowrap}
    .scroll{overflow-x:auto;margin:.75rem 0;background:\
    linear-gradient(to left,var(--paper) 40%,transparent) right/40px 100% no-repeat local,\
    linear-gradient(to left,var(--shade),transparent) right/12px 100% no-repeat scroll}
    table{border:0;border-collapse:collapse;font-size:.9rem;line-height:1.35}
    caption{text-align:left;padding:0 0 .35rem;font-size:.9rem}
    caption span{display:inline-block;position:sticky;left:0;max-width:calc(100vw - 2rem)}
    th,td{padding:.35rem .5rem;border:solid var(--rule);border-width:0 0 1px;text-align:left;\
    vertical-align:top}
    thead th{border-bottom:2px solid var(--rule);vertical-align:bottom}
    th.n,td.n{text-align:right;white-space:nowrap}
    thead th.n{white-space:normal}
    tbody th{font-weight:500;min-width:7rem}
    tbody th,thead th:first-child{position:sticky;left:0;background:var(--paper)}
    td small{display:block;max-width:9.5rem;font-weight:400;color:var(--faint)}
    tr.total th,tr.total td{font-weight:700}
    td svg,th svg{display:block}
    .metric{min-width:12rem;display:inline-block}
    code,pre{font:.85rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,\
    "Liberation Mono",monospace}
    th code,td code{font-size:.8rem;color:var(--faint);overflow-wrap:anywhere}
    pre{background:var(--soft);border:1px solid var(--rule);border-radius:.3rem;\
    padding:.6rem .8rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.5rem 0}
    .charts{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,30rem),1fr));\
    gap:1.5rem 2rem;align-items:start;margin:1rem 0}
    .charts>*{margin:0;min-width:0}
    figure{margin:0;min-width:0}
    .wide{margin:1.5rem 0}
    figcaption{font-weight:600;margin-bottom:.4rem}
    figcaption small{display:block;font-weight:400;font-size:.85rem}
    figure .scroll{margin:0}
    figure svg{width:100%;max-width:560px;min-width:350px;height:auto;display:block}
    .wide svg{max-width:none}.wide [hidden] svg{max-width:560px}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem}
    dt{color:var(--faint)}
    dd{margin:0;overflow-wrap:anywhere}
    details{margin:.75rem 0}
    summary{cursor:pointer;font-weight:600;padding:.25rem 0}
    footer{padding-bottom:2rem}
    @media print,screen and (max-width:61rem){.wide .scroll{display:none}\
    .wide .scroll[hidden]{display:block}}
    @media (max-width:30rem){dl{grid-template-columns:1fr;gap:0}dd{margin-bottom:.5rem}\
    th,td{padding:.3rem .45rem}.metric{min-width:9rem}}
    @media print{details::details-content{content-visibility:visible}\
    caption span,tbody th,thead th:first-child{position:static;max-width:none}\
    .scroll{background:none}tbody th{min-width:0}\
    @page{margin:12mm}body{font-size:10pt}nav,.skip{display:none}\
    header,main,footer{max-width:none;padding:0}section{margin:5mm 0;padding-top:3mm}\
    h2,h3,caption,figcaption{break-after:avoid}\
    figure svg{min-width:0}details td.n{white-space:normal}figure,tr,.banner,li{break-inside:avoid}\
    thead{display:table-header-group}.scroll{overflow:visible}table{font-size:7.5pt;width:100%}\
    th,td{padding:1mm 1.2mm}td svg{width:24mm;height:auto}.metric{min-width:0}\
    th code,td code{font-size:7pt}\
    .charts{grid-template-columns:1fr 1fr;gap:5mm}figure{max-width:110mm}}

    """
}
