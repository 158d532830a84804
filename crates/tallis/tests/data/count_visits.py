"""Counts unique visitors as Redis in Action, section 9.2.2, describes it, with redis-py.

The argument is the socket of a server. Each line of the input is a day and a session id; the reply is 1 for the first
visit of a visitor, else 0. A line with a day alone asks for its count.
"""

import binascii
import datetime
import sys

import redis

SHARD_SIZE = 512
DAILY_EXPECTED = 1000000


def shard_key(base, key, total_elements, shard_size):
    shards = 2 * total_elements // shard_size
    return '%s:%s' % (base, binascii.crc32(key.encode()) % shards)


def expected_visitors(server, day):
    key = 'unique:%s:expected' % day
    told = server.get(key)
    if told is None:
        yesterday = day - datetime.timedelta(days=1)
        visitors = int(server.get('unique:%s' % yesterday) or DAILY_EXPECTED)
        expected = 1
        while 2 * expected < 3 * visitors:
            expected *= 2
        if server.setnx(key, expected):
            return expected
        told = server.get(key)
    return int(told)


def count_visit(server, session, day):
    key = 'unique:%s' % day
    visitor = int(session.replace('-', '')[:15], 16)
    shard = shard_key(key, 'x%s' % visitor, expected_visitors(server, day), SHARD_SIZE)
    if not server.sadd(shard, visitor):
        return 0
    server.incr(key)
    return 1


def main():
    server = redis.Redis(unix_socket_path=sys.argv[1])
    for line in sys.stdin:
        day, *session = line.split()
        day = datetime.date.fromisoformat(day)
        if session:
            print(count_visit(server, session[0], day), flush=True)
        else:
            print(int(server.get('unique:%s' % day) or 0), flush=True)


main()
