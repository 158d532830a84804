-- KEYS: a bucket. ARGV: what it held, and until when it is kept.
-- Lets the bucket expire, but not before an hour has passed, unless it holds something else by now. Replies with 1 if it
-- expires, else with 0.
local HOUR = 3600000
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
if held ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local earliest = time[1] * 1000 + math.floor(time[2] / 1000) + HOUR
return redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', math.max(earliest, tonumber(ARGV[2]))))
