// Loaded first into every emulated Node (test/support/arm64.ts): its children and its packages are those of the other
// architecture, too. Plain JavaScript, so that Node loads its type stripper only for what is not in the compile cache.
import { createRequire, isBuiltin, registerHooks, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = pathToFileURL(join(import.meta.dirname, '..', '..', '/')).href
const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'twinfold-test', 'arm64')
const inCache = pathToFileURL(cache).href
const packages = pathToFileURL(join(cache, 'packages', 'package.json')).href
const { resolve: resolveRequired } = createRequire(packages)

// The kernel cannot start a program for another processor; the wrapper starts the emulator.
process.execPath = join(cache, 'bin', 'node')
syncBuiltinESMExports()

/** A package that the project imports by name is taken from the cache: only there it has the right native code. */
registerHooks({
  resolve(specifier, context, next) {
    const isPackage = !isBuiltin(specifier) && !/^(\.{0,2}\/|[a-z]+:|#)/.test(specifier)
    const isOurs = context.parentURL?.startsWith(root) && !context.parentURL.startsWith(inCache)
    if (!isPackage || !isOurs) return next(specifier, context)
    // The default of `require` does not look at the parent it is given.
    if (!context.conditions.includes('require')) return next(specifier, { ...context, parentURL: packages })
    return { url: pathToFileURL(resolveRequired(specifier)).href, shortCircuit: true }
  },
})
