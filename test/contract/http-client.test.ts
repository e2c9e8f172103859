import { setImmediate } from 'node:timers/promises'
import { realHttpClient } from '../../src/world/real/http-client.ts'
import { createRealHttpServer } from '../../src/world/real/http.ts'
import { SimClock } from '../../src/world/sim/clock.ts'
import { SimHttpClient } from '../../src/world/sim/http-client.ts'
import { httpClientContract } from './http-client.contract.ts'

httpClientContract('real http client', () => ({ client: realHttpClient, server: createRealHttpServer(), pass: async () => {} }))

httpClientContract('sim http client', () => {
  const clock = new SimClock()
  const web = new SimHttpClient(clock)
  return { client: web, server: web, pass: async () => void (await setImmediate(), clock.step()) }
})
