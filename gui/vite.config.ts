import { defineConfig, type Plugin } from 'vite'
import { withoutDescriptions } from '../tools/without-descriptions.ts'
import { textsOf } from './i18n/texts-of.ts'

const TEXTS_OF = /^\0?virtual:texts\/(\w+)$/

/** Each language becomes a file of its own: a browser loads one of the five. */
const texts: Plugin = {
  name: 'texts',
  resolveId: (id) => (TEXTS_OF.test(id) ? `\0${id}` : undefined),
  load: (id) => {
    const [, language] = TEXTS_OF.exec(id) ?? []
    return language === undefined ? undefined : `export const texts = ${JSON.stringify(textsOf(language))}`
  },
}

/** The texts of routes are for the OpenAPI document. */
const routes: Plugin = {
  name: 'routes',
  enforce: 'pre',
  transform: (source, id) => (/\/src\/rest\/[\w-]+\.ts$/.test(id) ? withoutDescriptions(id, source) : undefined),
}

/** The page is a handful of files below /assets, which the daemon serves as they are; nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  clearScreen: false,
  plugins: [texts, routes],
  build: {
    outDir: '../dist/gui',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
  },
})
