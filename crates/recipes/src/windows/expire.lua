-- KEYS: a bucket. ARGV: its previous value, and the time until which it is kept.
-- Sets an expiry for the bucket, at least an hour from now, unless its value has changed. Replies with 1 if the expiry was
-- set, else with 0.
local HOUR = 3600000
local held = redis.pcall('GET', KEYS[1])
if type(held) == 'table' then return held end
if held ~= ARGV[1] then return 0 end
local time = redis.call('TIME')
local earliest = time[1] * 1000 + math.floor(time[2] / 1000) + HOUR
return redis.call('PEXPIREAT', KEYS[1], string.format('%.0f', math.max(earliest, tonumber(ARGV[2]))))
