// Loaded first into every daemon that a test starts outside a network namespace: nothing leaves the machine, whatever
// the configuration under test switches on. Plain JavaScript, so that Node loads no type stripper for it.
import dgram from 'node:dgram'
import net from 'node:net'

const LOCAL = /^(127\.|::1$|localhost$|::ffff:127\.)/

function refuse(host) {
  return Object.assign(new Error(`the network is unreachable in a test: ${host}`), { code: 'ENETUNREACH' })
}

const { connect } = net.Socket.prototype
net.Socket.prototype.connect = function (...args) {
  const options = Array.isArray(args[0]) ? args[0][0] : args[0]
  const host = typeof options === 'object' && options !== null && options.path === undefined ? options.host : undefined
  if (host === undefined || LOCAL.test(host)) return connect.apply(this, args)
  process.nextTick(() => this.destroy(refuse(host)))
  return this
}

const { send } = dgram.Socket.prototype
dgram.Socket.prototype.send = function (data, port, host, done) {
  if (typeof host === 'string' && LOCAL.test(host)) return send.call(this, data, port, host, done)
  process.nextTick(() => done?.(refuse(String(host))))
}
