/** The rules of the page that can be read off its sources. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { describe, it } from 'node:test'
import { circlesIn } from '../../tools/imports.ts'

const root = join(import.meta.dirname, '..', '..')
const NOT_THE_PAGE = ['gui/vite.config.ts', 'gui/i18n/texts-of.ts']
const files = globSync('gui/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !NOT_THE_PAGE.includes(file) && !file.endsWith('.d.ts'))
  .sort()
const styles = globSync('gui/style/*.css', { cwd: root }).sort()
const textOf = (file: string) => readFileSync(join(root, file), 'utf8')

interface Import {
  /** From the root of the repository, or the name of a package. */
  readonly target: string
  readonly typesOnly: boolean
}

function importsOf(file: string): readonly Import[] {
  const text = textOf(file)
  const named = [...text.matchAll(/^(?:import|export)\s+(type\s+)?([\w$*{},\s]+?)\s+from\s+'([^']+)'/gm)].map(
    ([, type, names = '', from = '']) => {
      const inner = /^\{(.*)\}$/s.exec(names)?.[1]
      const allTypes = inner?.split(',').every((name) => name.trim() === '' || name.trim().startsWith('type ')) === true
      return { from, typesOnly: type !== undefined || allTypes }
    },
  )
  const whole = [...text.matchAll(/^import\s+'([^']+)'|\bimport\('([^']+)'\)/gm)].map(([, at, lazily]) => ({
    from: at ?? lazily ?? '',
    typesOnly: false,
  }))
  return [...named, ...whole].map(({ from, typesOnly }) => ({
    target: from.startsWith('.') ? relative(root, join(root, dirname(file), from)) : from,
    typesOnly,
  }))
}

/** The findings of all files. */
function wrong(of: readonly string[], faultsOf: (file: string) => readonly string[]): readonly string[] {
  return of.flatMap((file) => faultsOf(file).map((what) => `${file}: ${what}`))
}

/** From the lowest up; `app` and `pages` are one. A file imports its own layer and those below, for types too. */
const LAYERS = ['base', 'i18n', 'live', 'view-model', 'ui', 'page'] as const

function layerOf(file: string): number {
  const folder = file.split('/')[1] ?? ''
  return LAYERS.indexOf(LAYERS.find((layer) => layer === folder) ?? 'page')
}

/** The files of a higher layer that a file imports. */
function importsAbove(file: string, imports: readonly Import[]): readonly string[] {
  return imports
    .map(({ target }) => target)
    .filter((target) => target.startsWith('gui/') && /\.tsx?$/.test(target) && layerOf(target) > layerOf(file))
}

describe('the sources of the page', () => {
  it('are there', () => assert.ok(files.length > 50 && styles.length > 4))

  it('import of the program only the client, the declarations and the pure core', () => {
    assert.deepEqual(
      wrong(files, (file) =>
        importsOf(file)
          .filter(({ target }) => target.startsWith('src/') && !/^src\/(client|rest|core)\//.test(target))
          .map(({ target }) => target),
      ),
      [],
    )
  })

  it('import no modules of Node, and only the three packages of the page', () => {
    assert.deepEqual(
      wrong(files, (file) =>
        importsOf(file)
          .map(({ target }) => target)
          .filter(
            (target) =>
              builtinModules.includes(target) ||
              !/^(gui|src)\/|^preact$|^preact\/hooks$|^uplot($|\/)|^qr$|^virtual:texts\//.test(target),
          ),
      ),
      [],
    )
  })

  it('run no core that needs Node', () => {
    const core = new Set(
      files
        .flatMap((file) => importsOf(file))
        .filter(({ target, typesOnly }) => target.startsWith('src/') && !typesOnly)
        .map(({ target }) => target),
    )
    for (const file of core)
      for (const { target, typesOnly } of importsOf(file)) if (target.startsWith('src/') && !typesOnly) core.add(target)
    assert.deepEqual(
      [...core].filter((file) => /from 'node:/.test(textOf(file))),
      [],
    )
  })

  it('import no higher layer', () => {
    assert.deepEqual(
      wrong(files, (file) => importsAbove(file, importsOf(file))),
      [],
    )
    const planted: readonly Import[] = [
      { target: 'gui/base/store.ts', typesOnly: false },
      { target: 'gui/ui/icon.tsx', typesOnly: true },
    ]
    assert.deepEqual(importsAbove('gui/live/live.ts', planted), ['gui/ui/icon.tsx'])
    assert.deepEqual(importsAbove('gui/app/app.tsx', planted), [])
  })

  it('import each other in no circle, for types neither', () => {
    assert.deepEqual(circlesIn(new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]))), [])
  })

  it('make no markup and no code of texts', () => {
    const forbidden =
      /(inner|outer|dangerouslySetInner|insertAdjacent)HTML|document\.write|\beval\(|new Function|srcdoc|javascript:/
    assert.deepEqual(
      wrong(files, (file) => textOf(file).match(forbidden) ?? []),
      [],
    )
  })

  it('send requests only by the client', () => {
    assert.deepEqual(
      wrong(files, (file) =>
        file.startsWith('gui/live/')
          ? []
          : (textOf(file).match(/\bfetch\(|XMLHttpRequest|WebSocket|EventSource|sendBeacon/) ?? []),
      ),
      [],
    )
  })

  it('race no promises: each race stays in memory until all of them have settled', () => {
    assert.deepEqual(
      wrong(files, (file) => textOf(file).match(/Promise\.race\(/) ?? []),
      [],
    )
  })

  it('render again with another language: no component is memoized', () => {
    assert.deepEqual(
      wrong(files, (file) => textOf(file).match(/\bmemo\(|shouldComponentUpdate/) ?? []),
      [],
    )
  })

  it('have no styles as text', () => {
    assert.deepEqual(
      wrong(files, (file) => textOf(file).match(/\bstyle="|\bstyle=\{`|cssText|setAttribute\('style/) ?? []),
      [],
    )
  })

  it('have files of limited length', () => {
    const isTable = (file: string) => file.startsWith('gui/i18n/tables/')
    assert.deepEqual(
      wrong(files, (file) =>
        !isTable(file) && textOf(file).split('\n').length > 250 ? [`${textOf(file).split('\n').length} lines`] : [],
      ),
      [],
    )
  })
})

describe('the styles of the page', () => {
  it('take their colours from the tokens', () => {
    const literal =
      /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab|lch)a?\(|:\s*(?:white|black|red|green|blue|gr[ae]y|orange|yellow)\b/i
    assert.deepEqual(
      wrong(
        styles.filter((file) => !file.endsWith('tokens.css')),
        (file) => textOf(file).match(literal) ?? [],
      ),
      [],
    )
    assert.deepEqual(
      wrong(
        files.filter((file) => file.endsWith('.tsx')),
        (file) => textOf(file).match(/['"`]#[0-9a-f]{6}\b|\brgb\(/i) ?? [],
      ),
      [],
    )
  })

  it('use only tokens that exist', () => {
    const known = new Set(
      [
        ...[...styles, ...files]
          .map(textOf)
          .join('\n')
          .matchAll(/(--[\w-]+)'?:/g),
      ].map(([, name]) => name),
    )
    assert.deepEqual(
      wrong(styles, (file) =>
        [...textOf(file).matchAll(/var\((--[\w-]+)/g)].map(([, name = '']) => name).filter((name) => !known.has(name)),
      ),
      [],
    )
  })

  it('have a light and a dark value for each colour but those of the sign and the veil', () => {
    const tokens = [...textOf('gui/style/tokens.css').matchAll(/(--[\w-]+): ([^;]+);/g)].map(
      ([, name = '', value = '']) => ({ name, value }),
    )
    const single = tokens.filter(({ value }) =>
      /#|rgb/.test(value.replaceAll(/light-dark\((?:[^()]|\([^()]*\))*\)/g, '')),
    )
    assert.ok(tokens.length > 20)
    assert.deepEqual(
      single.map(({ name }) => name),
      ['--brand', '--brand-light', '--veil'],
    )
  })

  it('fetch nothing from elsewhere', () => {
    assert.deepEqual(
      wrong(styles, (file) => textOf(file).match(/url\(|https?:/) ?? []),
      [],
    )
  })

  it('are all named', () => {
    const pages = ['gui/main.tsx', 'gui/pages/conflicts/conflicts-page.tsx'] // the second is loaded later
    const named = ['gui/style/pages.css', ...pages].map(textOf).join('')
    assert.deepEqual(
      styles.filter((file) => !named.includes(`/${file.split('/').at(-1)}'`) && !file.endsWith('pages.css')),
      [],
    )
  })
})
