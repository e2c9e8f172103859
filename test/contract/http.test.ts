import { request } from 'node:http'
import { createNodeHttpServer } from '../../src/platform/node/http/http.ts'
import { SimHttpServer } from '../../src/platform/sim/http.ts'
import { httpContract, type ContractAnswer, type ContractCall } from './http.contract.ts'

httpContract('real http', () => ({ server: createNodeHttpServer(), call: callReal }))

httpContract('sim http', () => {
  const server = new SimHttpServer()
  return { server, call: (address, call) => server.call(address, call) }
})

function callReal(address: string, call: ContractCall): Promise<ContractAnswer> {
  const [host, port] = address.split(':')
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host,
        port,
        method: call.method ?? 'GET',
        path: call.target,
        agent: false,
        headers: {
          ...call.headers,
          ...(call.body === undefined ? {} : { 'Content-Length': Buffer.byteLength(call.body) }),
        },
        ...(call.signal === undefined ? {} : { signal: call.signal }),
      },
      (response) => {
        const pieces: Buffer[] = []
        response.on('data', (piece: Buffer) => pieces.push(piece))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(pieces).toString(),
          }),
        )
      },
    )
    // A refusal may come while we still send; what counts is the reply.
    outgoing.on('error', reject)
    outgoing.end(call.body)
  })
}
