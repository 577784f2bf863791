/** What routers are told of the cache: rows to be fetched over HTTP, or a ZeroMQ stream. */
@org.jspecify.annotations.NullMarked
package rondo.server.kvevents;
