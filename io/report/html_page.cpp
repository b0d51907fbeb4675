#include "io/report/html_page.hpp"

#include "io/escape.hpp"

namespace trestle::io {
namespace {

// The eight colours are those of Okabe and Ito (2008), told apart with any colour vision; the
// yellow is darkened to stand on white.
constexpr const char* style = R"(<style>
:root{--ink:#1d2733;--soft:#5c6b7a;--line:#dde3ea;--paper:#fff;--back:#f4f6f9;--good:#00795a;--bad:#b3261e;
--c0:#0072b2;--c1:#e69f00;--c2:#009e73;--c3:#cc79a7;--c4:#56b4e9;--c5:#d55e00;--c6:#8a7f00;--c7:#7a7a7a}
@media (prefers-color-scheme:dark){:root{--ink:#e6ebf1;--soft:#9aa8b7;--line:#2f3a47;--paper:#1b222b;
--back:#12171d;--good:#3ccf9f;--bad:#ff8a80;--c0:#4aa8e0}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:880px;margin:0 auto;padding:28px 16px 60px}
h1{font-size:26px;line-height:1.25;margin:0 0 4px;overflow-wrap:anywhere}
h2{font-size:17px;margin:0 0 10px}
p{margin:6px 0}
.soft{color:var(--soft)}
.badge{display:inline-block;padding:1px 10px;border-radius:10px;color:var(--paper);font-weight:600;font-size:13px}
.good{background:var(--good)}.bad{background:var(--bad)}
b.good{background:none;color:var(--good)}b.bad{background:none;color:var(--bad)}
section{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:18px 20px;margin:16px 0}
.cards{display:grid;grid-template-columns:repeat(auto-fit,minmax(150px,1fr));gap:12px;margin:18px 0}
.card{background:var(--paper);border:1px solid var(--line);border-radius:10px;padding:12px 14px}
.card b{display:block;font-size:21px;line-height:1.3;overflow-wrap:anywhere}
.card span{color:var(--soft);font-size:13px}
.wide{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:14px;font-variant-numeric:tabular-nums}
th,td{text-align:left;padding:5px 10px 5px 0;border-bottom:1px solid var(--line);vertical-align:top}
th{color:var(--soft);font-weight:600}
td{overflow-wrap:break-word}
svg{width:100%;height:auto;display:block}
svg text{fill:var(--ink);font-size:12.5px}
svg .name{text-anchor:end;fill:var(--soft)}svg .tick{text-anchor:middle;fill:var(--soft)}
svg .grid{stroke:var(--line)}svg .curve{fill:none;stroke-width:1.8;stroke-linejoin:round}
.c0{fill:var(--c0);background:var(--c0)}.c1{fill:var(--c1);background:var(--c1)}
.c2{fill:var(--c2);background:var(--c2)}.c3{fill:var(--c3);background:var(--c3)}
.c4{fill:var(--c4);background:var(--c4)}.c5{fill:var(--c5);background:var(--c5)}
.c6{fill:var(--c6);background:var(--c6)}.c7{fill:var(--c7);background:var(--c7)}
.s0{stroke:var(--c0)}.s1{stroke:var(--c1)}.s2{stroke:var(--c2)}.s3{stroke:var(--c3)}
.s4{stroke:var(--c4)}.s5{stroke:var(--c5)}.s6{stroke:var(--c6)}.s7{stroke:var(--c7)}
.legend{display:flex;flex-wrap:wrap;gap:4px 16px;font-size:13px;color:var(--soft)}
.legend i{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px}
ul{margin:0;padding-left:20px}
</style>
)";

}  // namespace

std::string html_page(const std::string& title, const std::string& content) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<meta name=\"viewport\" content=\"width=device-width\">\n<title>" +
         escape_html(title) + "</title>\n" + style + "</head><body><main>\n" + content +
         "</main></body></html>\n";
}

}  // namespace trestle::io
