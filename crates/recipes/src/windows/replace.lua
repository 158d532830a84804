-- KEYS: a bucket. ARGV: what it held, or nothing if it did not exist; what it is to hold; 1 if it is not to expire, else 0; and
-- else until when it is kept, or nothing to leave that as it is.
-- Replies with 1, or with 0 if it holds something else by now, and then nothing is done.
local bucket, kept_until = KEYS[1], ARGV[4]
local held = redis.pcall('GET', bucket)
if type(held) == 'table' then return held end
if (held or '') ~= ARGV[1] then return 0 end
redis.call('SET', bucket, ARGV[2], 'KEEPTTL')
if ARGV[3] == '1' then
  redis.call('PERSIST', bucket)
elseif kept_until ~= '' then
  redis.call('PEXPIREAT', bucket, kept_until)
end
return 1
