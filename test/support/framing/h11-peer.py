"""A server of h11. It reports each request on the standard output, and reads its answer from the input."""

import asyncio
import base64
import json
import sys

import h11

waiting = {}
counts = {"connections": 0, "requests": 0}


def say(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


async def serve(reader, writer):
    counts["connections"] += 1
    connection = counts["connections"]
    parser = h11.Connection(h11.SERVER)
    request, chunks = None, []
    try:
        while True:
            event = parser.next_event()
            if event is h11.NEED_DATA:
                parser.receive_data(await reader.read(65536))
            elif isinstance(event, h11.Request):
                request, chunks = event, []
            elif isinstance(event, h11.Data):
                chunks.append(bytes(event.data))
            elif isinstance(event, h11.EndOfMessage):
                await answer(parser, writer, connection, request, b"".join(chunks))
                if parser.our_state is h11.MUST_CLOSE:
                    return
                parser.start_next_cycle()
            elif isinstance(event, h11.ConnectionClosed):
                return
    except h11.RemoteProtocolError as err:
        say({"fault": f"connection {connection}: {err}"})
    except ConnectionError:
        pass
    finally:
        writer.close()


async def answer(parser, writer, connection, request, body):
    counts["requests"] += 1
    n = counts["requests"]
    waiting[n] = answered = asyncio.get_running_loop().create_future()
    headers = [[name.decode("latin1"), value.decode("latin1")] for name, value in request.headers]
    say(
        {
            "n": n,
            "connection": connection,
            "method": request.method.decode(),
            "target": request.target.decode("latin1"),
            "headers": headers,
            "body": base64.b64encode(body).decode(),
        }
    )
    given = await answered
    content = given["body"].encode()
    fields = {**given["headers"], "content-length": str(len(content))}
    writer.write(parser.send(h11.Response(status_code=given["status"], headers=list(fields.items()))))
    if request.method != b"HEAD":
        writer.write(parser.send(h11.Data(data=content)))
    writer.write(parser.send(h11.EndOfMessage()))
    await writer.drain()


async def read_answers():
    reader = asyncio.StreamReader(limit=2**26)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        given = json.loads(line)
        waiting.pop(given["n"]).set_result(given)


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    say({"port": server.sockets[0].getsockname()[1]})
    await read_answers()


asyncio.run(main())
