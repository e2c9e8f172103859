import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { run } from '../support/packed.ts'

/**
 * Compiles `typed.mts` and `all.mts` of the directory, as Node and as a bundler resolve modules: with the checks of
 * libraries off and on, or each way of resolving with one of them, as neither depends on the other.
 */
export async function checkTypes(script: string, directory: string, isWhole: boolean): Promise<void> {
  const checks = [
    ['nodenext', 'nodenext'],
    ['esnext', 'bundler'],
  ].flatMap(([module, moduleResolution]) =>
    (isWhole ? [true, false] : [module === 'esnext']).map(async (skipLibCheck) => {
      const compilerOptions = {
        module,
        moduleResolution,
        skipLibCheck,
        noEmit: true,
        strict: true,
        exactOptionalPropertyTypes: true,
        target: 'es2024',
        lib: ['es2024', 'dom'],
        types: [],
      }
      const config = join(directory, `${moduleResolution}-${skipLibCheck}.json`)
      writeFileSync(config, JSON.stringify({ compilerOptions, files: ['typed.mts', 'all.mts'] }))
      assert.equal(await run(process.execPath, [script, '-p', config], { cwd: directory }), '')
    }),
  )
  await Promise.all(checks)
}
