// A real browser without a screen opens one page, and tells what became of it: `node browse.mjs URL`, a JSON line out.
//
//     {"dom": "…", "requests": ["…"], "errors": ["…"]}
//
// Knows how the browser is started; must not know any page. The browser comes from the npm registry, so that nobody has to install one.

import chromium from '@sparticuz/chromium';
import { chromium as driver } from 'playwright-core';

const PATIENCE = 20_000;
const browser = await driver.launch({
  executablePath: await chromium.executablePath(),
  args: chromium.args,
  timeout: PATIENCE,
});
try {
  const page = await browser.newPage();
  const requests = [];
  const errors = [];
  page.on('request', (request) => requests.push(request.url()));
  page.on('pageerror', (error) => errors.push(error.message));
  await page.goto(process.argv[2], { timeout: PATIENCE });
  console.log(JSON.stringify({ dom: await page.content(), requests, errors }));
} finally {
  await browser.close();
}
