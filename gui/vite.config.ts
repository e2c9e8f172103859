import { defineConfig } from 'vite'

/** The page is a handful of files below /assets, which the daemon serves as they are; nothing is inlined. */
export default defineConfig({
  root: import.meta.dirname,
  base: '/',
  clearScreen: false,
  build: {
    outDir: '../dist/gui',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
  },
})
