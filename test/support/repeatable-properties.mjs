// Loaded before all tests: every property is checked with the same cases in each run of `npm test`.
import { configureGlobal } from 'fast-check'
import { testSeed } from './seed.ts'

configureGlobal({ seed: testSeed() })
